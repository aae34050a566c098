import { type Laboratory, oneStage, openLaboratory } from '../../test/support/laboratory.ts';
import { processMemory } from '../process-memory.ts';
import { type BenchedApi, UNLIMITED, withApi } from './api-process.ts';
import type { Engines } from './engines.ts';
import type { Figure } from './figure.ts';
import { INSTANT_BACKEND, withInstantBackend } from './instant-backend.ts';
import { askPlainly, type PlainRequest } from './plain-requests.ts';
import { processorTimes } from './processor-time.ts';

const QUBITS = 16;
/** Number of concurrent requests. */
const CONNECTIONS = 16;
const [REQUESTS, SMALL_REQUESTS] = [2000, 100];
const [ROUNDS, SMALL_ROUNDS] = [5, 1];

/** Requests per second, and milliseconds of processor time per request. */
interface Cost {
  perSecond: number;
  api: number;
  store: number;
  /** Used by the client. The API cannot use this share of the machine. */
  client: number;
}

/**
 * Reads of one API process: requests per second, processor time of API and store per request, and the ratio to a response
 * served from memory.
 */
export async function benchApi(small: boolean, { pids: { store } }: Engines): Promise<Figure[]> {
  const lab = await openLaboratory({ MEASURE_HEARTBEAT_TIMEOUT: '10', RECONCILE_INTERVAL: '60' });
  try {
    return await withApi(lab, { settings: UNLIMITED }, (api) => measure(lab, api, { small, store }));
  } finally {
    await lab.close();
  }
}

async function measure(
  lab: Laboratory,
  { base, headers, pid }: BenchedApi,
  { small, store }: { small: boolean; store: number },
): Promise<Figure[]> {
  // A store that we did not start has no process id here.
  const pids = { api: pid, client: process.pid, ...(store > 0 && { store }) };
  const worker = await lab.startWorker(processMemory);
  const place = await lab.newProject({ size: QUBITS, projectId: headers['x-project-id'] });
  const { execution_id } = await withInstantBackend(lab, async () => {
    const run = await lab.startFlow(place, oneStage(['CheckT1']), { backend: INSTANT_BACKEND });
    await lab.ended(place.projectId, run.execution_id);
    return run;
  });
  await worker.stop();
  const reads = [
    ['/healthz', '/healthz'],
    ['/auth/me', '/auth/me'],
    ['a chip', `/chips/${place.chipId}`],
    ['latest of a task', `/task-results/qubits/latest?chip_id=${place.chipId}&task=CheckT1`],
    ["an execution's detail", `/executions/${execution_id}`],
  ] as const;
  const count = small ? SMALL_REQUESTS : REQUESTS;
  const costs = new Map<string, Cost[]>();
  for (let round = 0; round <= (small ? SMALL_ROUNDS : ROUNDS); round += 1) {
    // Each round runs all reads one after another, so that disturbances of the machine affect all of them.
    for (const [name, path] of reads) {
      const cost = await ask({ base, path, headers, count, connections: CONNECTIONS }, pids);
      if (round > 0) costs.set(name, [...(costs.get(name) ?? []), cost]); // the first warms up
    }
  }
  const healthz = middle((costs.get('/healthz') ?? []).map(({ api }) => api));
  return [...costs].map(([name, measured]) => {
    const each = (kind: keyof Cost) => measured.map((cost) => cost[kind]);
    const api = each('api');
    const others = `store ${ms(middle(each('store')))}, client ${ms(middle(each('client')))}`;
    const simple = name === '/auth/me' || name === 'a chip';
    return {
      name: `${name}: CPU each (least to most), × /healthz, a second`,
      value: `${ms(middle(api))} (${ms(Math.min(...api))} to ${ms(Math.max(...api))}), ${(middle(api) / healthz).toFixed(1)}, ${middle(each('perSecond')).toFixed(0)}; ${others}`,
      ...(simple && { budget: '≤ 0.5 ms, ≥ 2,000/s' }),
    };
  });
}

async function ask(request: PlainRequest, pids: Readonly<Record<string, number>>): Promise<Cost> {
  const began = performance.now();
  const { result: seconds, used } = await processorTimes(pids, async () => {
    await askPlainly(request);
    return (performance.now() - began) / 1000;
  });
  const each = (name: string) => ((used[name] ?? 0) * 1000) / request.count;
  return {
    perSecond: request.count / seconds,
    api: each('api'),
    store: each('store'),
    client: each('client'),
  };
}

const middle = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const ms = (value: number) => `${value.toFixed(2)} ms`;
