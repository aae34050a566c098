import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { eventually, type Laboratory, oneStage, openLaboratory } from '../support/laboratory.ts';
import { pythonPackages, pythonVersion } from '../support/python.ts';
import { openProxy, type TcpProxy } from '../support/tcp-proxy.ts';

const BACKEND = 'fridge-1';
const program = fileURLToPath(new URL('stalling_backend.py', import.meta.url));
const python = await pythonVersion();

/** Milliseconds that a run may take on a machine that is busy with other tests. */
const PATIENCE = 120_000;

describe.skipIf(python === null)('the backend worker in Python that the guide shows', () => {
  let lab: Laboratory;
  let proxy: TcpProxy;
  let packages: string;
  const workers: { child: ChildProcess; exited: Promise<unknown> }[] = [];

  beforeAll(async () => {
    packages = await pythonPackages(python ?? '');
    lab = await openLaboratory({
      MEASURE_HEARTBEAT_TIMEOUT: '10',
    });
    proxy = await openProxy(lab.settings.TEMPORAL_ADDRESS);
    await lab.startWorker({ WORKER_QUEUES: 'calibration' });
  }, 300_000);
  afterAll(async () => {
    await lab.close();
    await proxy.close();
  });
  afterEach(async () => {
    for (const { child, exited } of workers.splice(0)) {
      child.kill('SIGKILL');
      await exited;
    }
    proxy.mend();
  });

  const journalOf = (test: string) => join(lab.directory, `${test}.journal`);

  /** What happened to the instruments, in order: `start left`, `abort left`, `start right` … */
  const storyOf = async (test: string) =>
    (await readFile(journalOf(test), 'utf8').catch(() => '')).split('\n').filter(Boolean);

  async function startWorker(
    test: string,
    name: string,
    seconds: number,
    address = lab.settings.TEMPORAL_ADDRESS,
  ): Promise<ChildProcess> {
    const log = await open(join(lab.directory, `${test}-${name}.log`), 'a');
    const child = spawn('python3', [program], {
      env: {
        PATH: process.env['PATH'],
        PYTHONPATH: packages,
        PYTHONDONTWRITEBYTECODE: '1',
        TEMPORAL_ADDRESS: address,
        TEMPORAL_NAMESPACE: lab.settings.TEMPORAL_NAMESPACE,
        BACKEND,
        INSTRUMENT: name,
        INSTRUMENT_JOURNAL: journalOf(test),
        INSTRUMENT_SECONDS: String(seconds),
      },
      stdio: ['ignore', 'pipe', log.fd],
    });
    workers.push({ child, exited: once(child, 'exit') });
    await log.close();
    await once(child.stdout ?? expect.fail('no output'), 'data');
    return child;
  }

  async function startRun() {
    const place = await lab.newProject();
    const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0']), { backend: BACKEND });
    return { ...place, ...run };
  }

  test('measures T1, which Calibron fits', async () => {
    await startWorker('whole', 'left', 0);
    const { projectId, execution_id } = await startRun();
    expect((await lab.ended(projectId, execution_id, PATIENCE)).status).toBe('completed');
    const [task] = await lab.tasksOf(projectId, execution_id);
    expect(Number(task?.output_parameters['t1']?.value) / 50).toBeCloseTo(1, 0);
    expect(await storyOf('whole')).toEqual(['start left', 'end left']);
  });

  test('stops its instrument when it is cut off, before another worker measures', async () => {
    await startWorker('cut', 'left', 60, proxy.address);
    const { projectId, execution_id } = await startRun();
    await eventually(async () => (await storyOf('cut')).length === 1, PATIENCE);
    await startWorker('cut', 'right', 0);
    proxy.cut();
    expect((await lab.ended(projectId, execution_id, PATIENCE)).status).toBe('completed');
    expect(await storyOf('cut')).toEqual(['start left', 'abort left', 'start right', 'end right']);
  }, 200_000);

  test('stops its instrument when the run is cancelled, which waits for it', async () => {
    await startWorker('cancel', 'left', 600);
    const { projectId, execution_id, flow_run_id } = await startRun();
    await eventually(async () => (await storyOf('cancel')).length === 1, PATIENCE);
    await lab.runs.control.cancel(projectId, flow_run_id);
    expect((await lab.ended(projectId, execution_id, PATIENCE)).status).toBe('cancelled');
    expect(await storyOf('cancel')).toEqual(['start left', 'abort left']);
  }, 200_000);

  test('hands its measurement on when it is asked to stop', async () => {
    const left = await startWorker('stop', 'left', 600);
    const { projectId, execution_id } = await startRun();
    await eventually(async () => (await storyOf('stop')).length === 1, PATIENCE);
    await startWorker('stop', 'right', 0);
    left.kill('SIGTERM');
    expect((await lab.ended(projectId, execution_id, PATIENCE)).status).toBe('completed');
    expect(await storyOf('stop')).toEqual(['start left', 'abort left', 'start right', 'end right']);
  }, 200_000);
});
