import { mkdir, writeFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually, type Laboratory, oneStage, openLaboratory } from '../../support/laboratory.ts';
import { type OwnEngine, openOwnEngine } from '../../support/own-engine.ts';
import { pythonVersion } from '../../support/python.ts';
import { type PythonBackend, startPythonBackend } from '../../support/python-backend.ts';
import { repetitions } from '../../support/repetitions.ts';
import { openProxy, type TcpProxy } from '../../support/tcp-proxy.ts';

const python = await pythonVersion();

/** Seconds for which Temporal is frozen, and for which the network is cut. */
const FROZEN = repetitions({ quick: [1, 14], soak: [1, 14, 60] });
const CUT = repetitions({ quick: [14], soak: [1, 14, 60] });
/** Seconds that each measurement takes, and after which the outage begins: it lasts across the measurement's end. */
const [MEASURES, OUTAGE_AFTER] = [5, 3];
/** Seconds without a heartbeat after which a worker counts as dead: less than most outages, and more. */
const SHORT = 5;

/** Backends by name, with their heartbeat timeout in seconds. */
const backends = { simulator: SHORT, 'python-short': SHORT, 'python-long': 90 };
type BackendName = keyof typeof backends;
const names: BackendName[] = python === null ? ['simulator'] : ['simulator', 'python-short', 'python-long'];

let engine: OwnEngine;
let lab: Laboratory;
/** The way of all that measures to Temporal. */
let way: TcpProxy;
const workers = new Map<BackendName, PythonBackend>();

beforeAll(async () => {
  engine = await openOwnEngine();
  way = await openProxy(engine.address);
  lab = await openLaboratory({ TEMPORAL_ADDRESS: engine.address, MEASURE_HEARTBEAT_TIMEOUT: '' });
  const declared = Object.entries(backends).map(([name, heartbeat_timeout]) => [name, { heartbeat_timeout }]);
  await mkdir(lab.settings.CONFIG_PATH, { recursive: true });
  await writeFile(
    `${lab.settings.CONFIG_PATH}/backends.json`,
    JSON.stringify({ backends: Object.fromEntries(declared) }),
  );
  await Promise.all([
    lab.startWorker({ WORKER_QUEUES: 'calibration' }),
    lab.startWorker({
      ...{
        WORKER_QUEUES: 'backend:simulator',
        TEMPORAL_ADDRESS: way.address,
        SIMULATOR_SECONDS: String(MEASURES),
      },
    }),
  ]);
  for (const name of names) {
    if (name === 'simulator') continue;
    const options = { backend: name, name: 'left', seconds: MEASURES, address: way.address };
    workers.set(name, await startPythonBackend(lab, python ?? '', options));
  }
});
afterAll(async () => {
  for (const worker of workers.values()) await worker.kill();
  await lab?.close();
  await way?.close();
  await engine?.close();
});

/** Starts a measurement on each backend, has the outage when all have begun, and expects each to be made once. */
async function expectOneMeasurementEach(outage: () => Promise<void>): Promise<void> {
  const before = await journalLengths();
  const runs = await Promise.all(
    names.map(async (backend) => {
      const place = await lab.newProject();
      const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0']), { backend });
      return { ...place, ...run, backend };
    }),
  );
  const journalOf = async ({
    projectId,
    execution_id,
    backend,
  }: (typeof runs)[number]): Promise<string[]> => {
    const worker = workers.get(backend);
    if (!worker) return (await lab.journal(projectId, execution_id)).map(({ event }) => event);
    return (await worker.journal()).slice(before.get(backend)).map((line) => line.split(' ')[0] ?? '');
  };
  await eventually(async () => (await Promise.all(runs.map(journalOf))).every(({ length }) => length === 1));
  await wait(OUTAGE_AFTER * 1000);
  await outage();
  for (const run of runs) {
    const execution = await lab.ended(run.projectId, run.execution_id);
    expect(execution.message, run.backend).toContain('1 of 1 tasks completed');
    expect(await journalOf(run), run.backend).toEqual(['start', 'end']);
    const [task] = await lab.tasksOf(run.projectId, run.execution_id);
    expect(task?.output_parameters['t1']?.value, run.backend).toBeGreaterThan(0);
  }
}

async function journalLengths(): Promise<Map<BackendName, number>> {
  const lengths = [...workers].map(
    async ([name, worker]) => [name, (await worker.journal()).length] as const,
  );
  return new Map(await Promise.all(lengths));
}

describe('a measurement that ends while Temporal cannot be reached is made once, and its value is recorded', () => {
  for (const seconds of FROZEN) {
    test(`Temporal frozen for ${seconds} s`, () =>
      expectOneMeasurementEach(async () => {
        engine.freeze();
        await wait(seconds * 1000);
        engine.thaw();
      }));
  }

  test('Temporal killed and started again', () =>
    expectOneMeasurementEach(async () => {
      engine.kill();
      await wait((MEASURES - OUTAGE_AFTER + 1) * 1000);
      await engine.comeBack();
    }));

  for (const seconds of CUT) {
    test(`the network cut for ${seconds} s`, () =>
      expectOneMeasurementEach(async () => {
        way.cut();
        await wait(seconds * 1000);
        way.mend();
      }));
  }
});
