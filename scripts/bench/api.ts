import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { type Laboratory, oneStage, openLaboratory } from '../../test/support/laboratory.ts';
import { processMemory } from '../process-memory.ts';
import { type BenchedApi, UNLIMITED, withApi } from './api-process.ts';
import type { Figure } from './figure.ts';
import { INSTANT_BACKEND, withInstantBackend } from './instant-backend.ts';

const QUBITS = 16;
/** Requests on their way at a time. */
const CONNECTIONS = 16;
const [REQUESTS, SMALL_REQUESTS] = [2000, 100];
const [ROUNDS, SMALL_ROUNDS] = [5, 1];

interface Cost {
  perSecond: number;
  /** Milliseconds of processor time of the API for one request. */
  cpu: number;
}

/** Reads of one API process: requests a second, its processor time for each, and the ratio to an answer out of memory. */
export async function benchApi(small: boolean): Promise<Figure[]> {
  const lab = await openLaboratory({ MEASURE_HEARTBEAT_TIMEOUT: '10', RECONCILE_INTERVAL: '60' });
  try {
    return await withApi(lab, { settings: UNLIMITED }, (api) => measure(lab, api, small));
  } finally {
    await lab.close();
  }
}

async function measure(lab: Laboratory, { base, headers }: BenchedApi, small: boolean): Promise<Figure[]> {
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
    // One after the other in each round, so that what disturbs the machine disturbs all of them.
    for (const [name, path] of reads) {
      const cost = await ask({ base, path, headers, count });
      if (round > 0) costs.set(name, [...(costs.get(name) ?? []), cost]); // the first warms up
    }
  }
  const healthz = middle((costs.get('/healthz') ?? []).map(({ cpu }) => cpu));
  return [...costs].map(([name, measured]) => {
    const cpu = measured.map((each) => each.cpu);
    const perSecond = middle(measured.map((each) => each.perSecond));
    const simple = name === '/auth/me' || name === 'a chip';
    return {
      name: `${name}: CPU each (least to most), × /healthz, a second`,
      value: `${ms(middle(cpu))} (${ms(Math.min(...cpu))} to ${ms(Math.max(...cpu))}), ${(middle(cpu) / healthz).toFixed(1)}, ${perSecond.toFixed(0)}`,
      ...(simple && { budget: '≤ 0.5 ms, ≥ 2,000/s' }),
    };
  });
}

interface Question {
  base: string;
  path: string;
  headers: Record<string, string>;
  count: number;
}

async function ask({ base, path, headers, count }: Question): Promise<Cost> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const [cpu, began] = [await cpuOf(base), performance.now()];
  let left = count;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (left-- > 0) {
        const [answer] = await once(get(`${base}${path}`, { agent, headers }), 'response');
        answer.resume();
        await once(answer, 'end');
        if (answer.statusCode !== 200) throw new Error(`${path} answered ${answer.statusCode}`);
      }
    }),
  );
  const took = (performance.now() - began) / 1000;
  const used = (await cpuOf(base)) - cpu;
  agent.destroy();
  return { perSecond: count / took, cpu: (used * 1000) / count };
}

/** Seconds of processor time that the API has used, as it says itself. */
async function cpuOf(base: string): Promise<number> {
  const text = await (await fetch(`${base}/metrics-prometheus`)).text();
  return Number(/^process_cpu_seconds_total (\S+)$/m.exec(text)?.[1]);
}

const middle = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const ms = (value: number) => `${value.toFixed(2)} ms`;
