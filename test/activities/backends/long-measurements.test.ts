import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

let lab: Laboratory | undefined;
const workers: PythonBackend[] = [];
afterAll(closeAll);

async function closeAll(): Promise<void> {
  for (const worker of workers.splice(0)) await worker.kill();
  await lab?.close();
  lab = undefined;
}

/** Runs CheckT1 on qubits of a new project and expects that each was measured once. */
async function expectOneMeasurementEach(
  laboratory: Laboratory,
  qids: readonly string[],
  { backend, seconds }: { backend: string; seconds: number },
): Promise<string> {
  const place = await laboratory.newProject();
  if (backend === 'simulator') {
    await laboratory.setFaults({
      rules: [{ match: { project_id: place.projectId }, behaviour: 'slow', seconds }],
    });
  }
  const run = await laboratory.startFlow(place, oneStage(['CheckT1'], qids, `, parallel: ${qids.length}`), {
    backend,
  });
  const execution = await laboratory.ended(place.projectId, run.execution_id, (seconds + 120) * 1000);
  expect(execution.message).toContain(`${qids.length} of ${qids.length} tasks completed`);
  const tasks = await laboratory.tasksOf(place.projectId, run.execution_id);
  expect(tasks.map(({ status, attempt }) => `${status} ${attempt}`)).toEqual(qids.map(() => 'completed 1'));
  for (const { elapsed_time } of tasks) expect(elapsed_time).toBeGreaterThanOrEqual(seconds - 1);
  const journal = await laboratory.journal(place.projectId, run.execution_id);
  if (backend === 'simulator') {
    expect(journal.map(({ event }) => event).sort()).toEqual([
      ...qids.map(() => 'end'),
      ...qids.map(() => 'start'),
    ]);
  }
  return run.execution_id;
}

for (const timeout of TIMEOUTS) {
  describe(`with a heartbeat timeout of ${timeout} s`, () => {
    beforeAll(async () => {
      await closeAll();
      lab = await openLaboratory({ MEASURE_HEARTBEAT_TIMEOUT: String(timeout) });
      await lab.startWorker();
    });

    for (const seconds of AT_ONCE) {
      test.concurrent(`eight measurements of ${seconds} s at once complete in their first attempt on the simulator`, async () => {
        await expectOneMeasurementEach(lab ?? expect.fail(), EIGHT, { backend: 'simulator', seconds });
      });

      test.skipIf(python === null)(
        `eight measurements of ${seconds} s at once complete in their first attempt on a Python worker`,
        { concurrent: true },
        async () => {
          const laboratory = lab ?? expect.fail();
          const backend = `eight-${seconds}`;
          const worker = await startPythonBackend(laboratory, python ?? '', {
            ...{ backend, name: 'left', seconds, atOnce: EIGHT.length },
          });
          workers.push(worker);
          await expectOneMeasurementEach(laboratory, EIGHT, { backend, seconds });
          const ends = (await worker.journal()).filter((line) => line.startsWith('end'));
          expect(ends.sort()).toEqual(EIGHT.map((qid) => `end ${qid} left`));
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
      await expectOneMeasurementEach(lab ?? expect.fail(), ['0'], { backend: 'simulator', seconds });
    });

    test.skipIf(python === null)(
      `a measurement of ${seconds} s completes in its first attempt on a Python worker`,
      { concurrent: true },
      async () => {
        const laboratory = lab ?? expect.fail();
        const backend = `${BACKEND}-${seconds}`;
        const worker = await startPythonBackend(laboratory, python ?? '', { backend, name: 'left', seconds });
        workers.push(worker);
        await expectOneMeasurementEach(laboratory, ['0'], { backend, seconds });
        expect(await worker.journal()).toEqual(['start 0 left', 'end 0 left']);
      },
    );
  }
});
