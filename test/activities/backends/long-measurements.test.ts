import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FaultPlan } from '../../../activities/backends/simulator/faults.ts';
import { type Laboratory, oneStage, openLaboratory } from '../../support/laboratory.ts';
import { pythonVersion } from '../../support/python.ts';
import { type PythonBackend, startPythonBackend } from '../../support/python-backend.ts';
import { repetitions } from '../../support/repetitions.ts';

const BACKEND = 'fridge-1';
const python = await pythonVersion();

/** Seconds that the measurements of each case take; one beyond what the SDK's core waits for without heartbeats. */
const ONE_AFTER_ANOTHER = repetitions({ quick: [25], soak: [25, 90, 900] });
/** Seconds: beyond the heartbeat timeout of the case and the five that the SDK's core adds to it. */
const AT_ONCE = repetitions({ quick: [12], soak: [12, 25, 90] });
const EIGHT = ['0', '1', '2', '3', '4', '5', '6', '7'];
const TIMEOUTS = repetitions({ quick: [3], soak: [3, 10, 120] });
/** Seconds: no machine that runs tests stalls for as long. */
const SAFE_TIMEOUT = 10;

let lab: Laboratory | undefined;
/** How long the simulator measures for each project. Runs go on at the same time, and share one file of faults. */
const slow: FaultPlan['rules'] = [];
const workers: PythonBackend[] = [];
afterAll(closeAll);

async function closeAll(): Promise<void> {
  for (const worker of workers.splice(0)) await worker.kill();
  await lab?.close();
  lab = undefined;
}

/** Starts CheckT1 on qubits of a new project, all at once. */
async function startRun(
  laboratory: Laboratory,
  qids: readonly string[],
  { backend, seconds }: { backend: string; seconds: number },
) {
  const place = await laboratory.newProject();
  if (backend === 'simulator') {
    slow.push({ match: { project_id: place.projectId }, behaviour: 'slow', seconds });
    await laboratory.setFaults({ rules: slow });
  }
  const run = await laboratory.startFlow(place, oneStage(['CheckT1'], qids, `, parallel: ${qids.length}`), {
    backend,
  });
  return { ...place, ...run };
}

/**
 * Runs CheckT1 on qubits of a new project and expects that the instrument finished each measurement exactly once.
 * @param options `atFirst` expects that none was aborted either. A machine that stalls for longer than a short heartbeat
 *   timeout cuts a worker off, and it must abort and measure again.
 */
async function expectOneMeasurementEach(
  laboratory: Laboratory,
  qids: readonly string[],
  { backend, seconds, atFirst }: { backend: string; seconds: number; atFirst: boolean },
): Promise<void> {
  const run = await startRun(laboratory, qids, { backend, seconds });
  const execution = await laboratory.ended(run.projectId, run.execution_id, (seconds + 120) * 1000);
  const tasks = await laboratory.tasksOf(run.projectId, run.execution_id);
  expect(execution.message, tasks.map(({ message }) => message).join(' | ')).toContain(
    `${qids.length} of ${qids.length} tasks completed`,
  );
  const journal = await laboratory.journal(run.projectId, run.execution_id);
  for (const { task_id, attempt, elapsed_time } of tasks) {
    expect(elapsed_time).toBeGreaterThanOrEqual(seconds - 1);
    const events = journal.filter((entry) => entry.task_id === task_id).map(({ event }) => event);
    const aborted = Array.from({ length: (attempt ?? 1) - 1 }, () => ['start', 'abort']).flat();
    expect(events).toEqual([...aborted, 'start', 'end']);
  }
  if (atFirst) expect(tasks.map(({ attempt }) => attempt)).toEqual(qids.map(() => 1));
}

for (const timeout of TIMEOUTS) {
  describe(`with a heartbeat timeout of ${timeout} s`, () => {
    beforeAll(async () => {
      await closeAll();
      lab = await openLaboratory({ MEASURE_HEARTBEAT_TIMEOUT: String(timeout) });
      await lab.startWorker();
    });

    for (const seconds of AT_ONCE) {
      const atFirst = timeout >= SAFE_TIMEOUT;
      test.concurrent(`the simulator finishes each of eight measurements of ${seconds} s at once`, async () => {
        await expectOneMeasurementEach(lab ?? expect.fail(), EIGHT, {
          backend: 'simulator',
          seconds,
          atFirst,
        });
      });

      test.skipIf(python === null)(
        `a Python worker finishes each of eight measurements of ${seconds} s at once`,
        { concurrent: true },
        async () => {
          const laboratory = lab ?? expect.fail();
          const backend = `eight-${seconds}`;
          const worker = await startPythonBackend(laboratory, python ?? '', {
            ...{ backend, name: 'left', seconds, atOnce: EIGHT.length, json: true },
          });
          workers.push(worker);
          await expectOneMeasurementEach(laboratory, EIGHT, { backend, seconds, atFirst });
        },
      );
    }
  });
}

describe('with the heartbeat timeout that is shipped', () => {
  beforeAll(async () => {
    await closeAll();
    lab = await openLaboratory({ MEASURE_HEARTBEAT_TIMEOUT: '' });
    await lab.startWorker();
  });

  for (const seconds of ONE_AFTER_ANOTHER) {
    test.concurrent(`a measurement of ${seconds} s completes in its first attempt on the simulator`, async () => {
      await expectOneMeasurementEach(lab ?? expect.fail(), ['0'], {
        backend: 'simulator',
        seconds,
        atFirst: true,
      });
    });

    test.skipIf(python === null)(
      `a measurement of ${seconds} s completes in its first attempt on a Python worker`,
      { concurrent: true },
      async () => {
        const laboratory = lab ?? expect.fail();
        const backend = `${BACKEND}-${seconds}`;
        const worker = await startPythonBackend(laboratory, python ?? '', {
          ...{ backend, name: 'left', seconds, json: true },
        });
        workers.push(worker);
        await expectOneMeasurementEach(laboratory, ['0'], { backend, seconds, atFirst: true });
      },
    );
  }

  test.skipIf(python === null)(
    'a measurement that is cancelled on a Python worker leaves the others there alone',
    { concurrent: true },
    async () => {
      const laboratory = lab ?? expect.fail();
      const backend = `${BACKEND}-shared`;
      // A worker learns of a cancellation by its heartbeats, ten seconds apart.
      const seconds = 25;
      const worker = await startPythonBackend(laboratory, python ?? '', {
        ...{ backend, name: 'left', seconds, atOnce: 2, json: true },
      });
      workers.push(worker);
      const cancelled = await startRun(laboratory, ['0'], { backend, seconds });
      await laboratory.measuring(cancelled.projectId, cancelled.execution_id);
      const other = expectOneMeasurementEach(laboratory, ['1'], { backend, seconds, atFirst: true });
      await laboratory.runs.control.cancel(cancelled.projectId, cancelled.flow_run_id);
      await other;
      await laboratory.ended(cancelled.projectId, cancelled.execution_id);
      const journal = await laboratory.journal(cancelled.projectId, cancelled.execution_id);
      expect(journal.map(({ event }) => event)).toEqual(['start', 'abort']);
    },
  );
});
