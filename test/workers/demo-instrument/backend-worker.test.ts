import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, expectTypeOf, test } from 'vitest';
import type { MeasureRequest } from '../../../activities/backends/backend.ts';
import type { JournalEntry } from '../../../activities/backends/simulator/journal.ts';
import { programs } from '../../../scripts/programs.ts';
import type { MeasureRequest as KnownRequest } from '../../../workers/demo-instrument/contract.ts';
import { eventually, type Laboratory, oneStage, openLaboratory } from '../../support/laboratory.ts';
import { openProxy, type TcpProxy } from '../../support/tcp-proxy.ts';

const BACKEND = 'fridge-1';
/** Milliseconds that a run may take on a machine that is busy with other tests. */
const PATIENCE = 120_000;

interface Instrument {
  pid: number;
  child: ChildProcess;
  exited: Promise<unknown>;
}

let lab: Laboratory;
let proxy: TcpProxy;
const instruments: Instrument[] = [];

beforeAll(async () => {
  lab = await openLaboratory({ MEASURE_HEARTBEAT_TIMEOUT: '10' });
  proxy = await openProxy(lab.settings.TEMPORAL_ADDRESS);
  await lab.startWorker({ WORKER_QUEUES: 'calibration' });
});
afterAll(async () => {
  await lab.close();
  await proxy.close();
});
afterEach(async () => {
  for (const { child, exited } of instruments.splice(0)) {
    child.kill('SIGKILL');
    await exited;
  }
  proxy.mend();
});

const journalOf = (name: string) => join(lab.directory, `${name}.journal`);

/** What happened to the instruments, in order: `start <pid>`, `abort <pid>` … */
async function storyOf(name: string): Promise<string[]> {
  const journal = await readFile(journalOf(name), 'utf8').catch(() => '');
  return journal
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const { event, pid }: JournalEntry = JSON.parse(line);
      return `${event} ${pid}`;
    });
}

async function startInstrument(
  name: string,
  seconds: number,
  address = lab.settings.TEMPORAL_ADDRESS,
): Promise<Instrument> {
  const log = await open(join(lab.directory, `${name}.log`), 'a');
  const child = spawn(process.execPath, [programs.instrument], {
    env: {
      PATH: process.env['PATH'],
      TEMPORAL_ADDRESS: address,
      TEMPORAL_NAMESPACE: lab.settings.TEMPORAL_NAMESPACE,
      BACKEND,
      SIMULATOR_JOURNAL: journalOf(name),
      SIMULATOR_SECONDS: String(seconds),
    },
    stdio: ['ignore', log.fd, log.fd],
  });
  await log.close();
  const instrument = { pid: child.pid ?? 0, child, exited: once(child, 'exit') };
  instruments.push(instrument);
  return instrument;
}

/** Starts a T1 on one qubit. */
async function startRun() {
  const place = await lab.newProject();
  const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0']), { backend: BACKEND });
  return { ...place, ...run };
}

const ended = async ({ projectId, execution_id }: Awaited<ReturnType<typeof startRun>>) =>
  (await lab.ended(projectId, execution_id, PATIENCE)).status;

const hasStarted = (name: string) => eventually(async () => (await storyOf(name)).length === 1, PATIENCE);

test('knows every request that Calibron sends', () => {
  expectTypeOf<MeasureRequest>().toExtend<KnownRequest>();
});

test('measures a simulated chip, which Calibron fits', async () => {
  const { pid } = await startInstrument('whole', 0);
  const run = await startRun();
  expect(await ended(run)).toBe('completed');
  const [task] = await lab.tasksOf(run.projectId, run.execution_id);
  expect(task).toMatchObject({ status: 'completed', output_parameters: { t1: { unit: 'us' } } });
  expect(await storyOf('whole')).toEqual([`start ${pid}`, `end ${pid}`]);
});

test('stops its instrument when the run is cancelled, which waits for it', async () => {
  const { pid } = await startInstrument('cancel', 600);
  const run = await startRun();
  await hasStarted('cancel');
  await lab.runs.control.cancel(run.projectId, run.flow_run_id);
  expect(await ended(run)).toBe('cancelled');
  expect(await storyOf('cancel')).toEqual([`start ${pid}`, `abort ${pid}`]);
}, 200_000);

test('stops its instrument when it is cut off, before another worker measures', async () => {
  const left = await startInstrument('cut', 60, proxy.address);
  const run = await startRun();
  await hasStarted('cut');
  const right = await startInstrument('cut', 0);
  proxy.cut();
  expect(await ended(run)).toBe('completed');
  expect(await storyOf('cut')).toEqual([
    ...[`start ${left.pid}`, `abort ${left.pid}`],
    ...[`start ${right.pid}`, `end ${right.pid}`],
  ]);
}, 200_000);

test('hands its measurement on when it is asked to stop', async () => {
  const left = await startInstrument('stop', 600);
  const run = await startRun();
  await hasStarted('stop');
  const right = await startInstrument('stop', 0);
  left.child.kill('SIGTERM');
  await left.exited;
  expect(await ended(run)).toBe('completed');
  expect(await storyOf('stop')).toEqual([
    ...[`start ${left.pid}`, `abort ${left.pid}`],
    ...[`start ${right.pid}`, `end ${right.pid}`],
  ]);
}, 200_000);

test('delivers a measurement that ended while Temporal was away', async () => {
  const { pid } = await startInstrument('away', 3, proxy.address);
  const run = await startRun();
  await hasStarted('away');
  proxy.cut();
  await eventually(async () => (await storyOf('away')).length === 2, PATIENCE);
  proxy.mend();
  expect(await ended(run)).toBe('completed');
  expect(await storyOf('away')).toEqual([`start ${pid}`, `end ${pid}`]);
}, 200_000);

test('answers a repetition with the result that a killed worker has kept', async () => {
  const left = await startInstrument('kept', 3, proxy.address);
  const run = await startRun();
  await hasStarted('kept');
  proxy.cut();
  await eventually(async () => (await storyOf('kept')).length === 2, PATIENCE);
  left.child.kill('SIGKILL');
  await left.exited;
  await startInstrument('kept', 0);
  expect(await ended(run)).toBe('completed');
  expect(await storyOf('kept')).toEqual([`start ${left.pid}`, `end ${left.pid}`]);
}, 200_000);
