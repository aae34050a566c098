import { setTimeout as wait } from 'node:timers/promises';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MeasureRequest } from '../../activities/backends/backend.ts';
import type { RecordInput, RecordOutput } from '../../activities/contracts/steps.ts';
import type { StageInput } from '../../shared/domain/runs/run-model.ts';
import { dataConverter } from '../../shared/kernel/engine/temporal.ts';
import { backendQueue } from '../../shared/kernel/engine/workflow-ids.ts';
import { newId, newProjectId } from '../../shared/kernel/new-ids.ts';
import { randomFrom } from '../../shared/science/device/random.ts';
import { workflowBundle } from '../../workers/bundle.ts';
import { activitiesOf, localActivitiesOf, type NamedHistory, replay } from '../support/histories.ts';
import { executionNamed, taskNamed, userNamed } from '../support/ids.ts';
import { type Laboratory, openLaboratory } from '../support/laboratory.ts';
import { repetitions } from '../support/repetitions.ts';

const STAGES = repetitions({ quick: 30, soak: 200 });
/** Stages at once; as many share the two cores in a busy installation. */
const AT_ONCE = 20;
const TARGETS = Array.from({ length: 16 }, (_, index) => String(index));
const LANES = 5;
const TASKS = 2;
/** Milliseconds. */
const [LONGEST_MEASUREMENT, LONGEST_RECORD] = [20, 25];
/** One of so many records takes too long for the local activity. */
const SLOW_ONE_OF = 5;
const SEED = process.env['CALIBRON_SOAK_SEED'] ?? 'mixed records';
const BACKEND = 'fridge-1';
/** Seconds, for measurements and their heartbeats: none is lost, and so repeated, on a busy machine. */
const PATIENCE = 600;

let lab: Laboratory;
let bundle: { codePath: string };
beforeAll(async () => {
  lab = await openLaboratory();
  bundle = { codePath: await workflowBundle(lab.cache) };
});
afterAll(() => lab?.close());

function requestFor({ run, stage, targets }: RecordInput, index: number): MeasureRequest {
  return {
    contract: 1,
    ...{ project_id: run.project_id, chip_id: run.chip_id, execution_id: run.execution_id, epoch: 1 },
    ...{
      task_id: taskNamed(`${stage}-${targets.join()}-${index}`),
      attempt: 1,
      task_name: 'CheckT1',
      task_type: 'qubit',
    },
    ...{
      targets,
      input_parameters: {},
      run_parameters: {},
      artifact_dir: '/',
      deadline: '',
      timeout: PATIENCE,
    },
  };
}

/** What record keeping answers to a step when every task completes. */
function recorded(input: RecordInput): RecordOutput {
  const isOver = input.step !== 'prepare';
  const index = input.index + (isOver ? 1 : 0);
  const goesOn = input.step === 'prepare' || input.step === 'finish_and_continue';
  const next = goesOn && index < TASKS;
  return {
    ...{ completed: isOver ? 1 : 0, failed: 0, skipped: 0, passed: input.targets, index },
    next: next ? { request: requestFor(input, index), timeout: PATIENCE, heartbeat_timeout: PATIENCE } : null,
  };
}

/** A number from 0 to 1 that is the same each time for the same step. */
function chance(step: RecordInput, purpose: string): number {
  const { run, targets, index } = step;
  return randomFrom(SEED, run.execution_id, targets.join(), index, step.step, purpose).uniform();
}

function stageInput(number: number): StageInput {
  const identity = {
    project_id: newProjectId(),
    execution_id: executionNamed(String(number)),
    chip_id: 'CHIP',
    name: 'mixed',
  };
  const user = {
    user_id: userNamed(newId()),
    username: 'ada',
    backend: BACKEND,
    trigger: 'api' as const,
    tags: [],
  };
  return {
    run: { ...identity, ...user, epoch: 1, flow_run_id: newId() },
    policy: { heartbeat_timeout: PATIENCE, parallel: LANES, history_limit: 10_000 },
    ...{ index: 0, name: 'mixed', parallel: LANES },
    control: { paused: null, stopping: null, changed_at: null },
  };
}

test(`histories of ${STAGES} stages in which slow and fast records are mixed can be replayed`, async () => {
  const connection = await NativeConnection.connect({ address: lab.settings.TEMPORAL_ADDRESS });
  const common = { connection, namespace: lab.settings.TEMPORAL_NAMESPACE, dataConverter };
  const later = (share: number, longest: number) => wait(Math.round(share * longest));
  const keeper = await Worker.create({
    ...common,
    taskQueue: 'mixed',
    workflowBundle: bundle,
    activities: {
      openStage: async () => ({
        ...{ targets: TARGETS.length, steps: 1, scopes: Array.from({ length: TASKS }, () => 'target') },
        ...{ lanes: TARGETS.map((target) => [target]), next: null },
      }),
      async recordLocally({ steps }: { steps: RecordInput[] }) {
        const answers = steps.map(async (step) => {
          await later(chance(step, 'time'), LONGEST_RECORD);
          return chance(step, 'slow') < 1 / SLOW_ONE_OF ? null : recorded(step);
        });
        return { recorded: await Promise.all(answers) };
      },
      async record(step: RecordInput) {
        await later(chance(step, 'time of the activity'), LONGEST_RECORD);
        return recorded(step);
      },
      closeStage: async () => ({
        counts: { completed: 0, failed: 0, skipped: 0, cancelled: 0, total: 0 },
        ...{ passed: 0, targets: 0, cause: null },
      }),
    },
  });
  const instrument = await Worker.create({
    ...common,
    taskQueue: backendQueue(BACKEND),
    activities: {
      async measure({ task_id, execution_id }: MeasureRequest) {
        await later(randomFrom(SEED, execution_id, task_id).uniform(), LONGEST_MEASUREMENT);
        return { targets: {} };
      },
    },
  });
  const serving = Promise.all([keeper.run(), instrument.run()]);
  const histories: NamedHistory[] = [];
  let begun = 0;
  async function runStages(): Promise<void> {
    while (begun < STAGES) {
      begun += 1;
      const workflowId = `mixed-${begun}`;
      const handle = await lab.engine.client.workflow.start('stage', {
        ...{ workflowId, taskQueue: 'mixed', args: [stageInput(begun)] },
      });
      await handle.result();
      histories.push({ workflowId, history: await handle.fetchHistory() });
    }
  }
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, runStages));
  } finally {
    for (const worker of [keeper, instrument]) worker.shutdown();
    await serving;
    await connection.close();
  }
  const perStage = TARGETS.length * TASKS;
  const asked = activitiesOf(histories);
  expect(asked.filter((name) => name === 'measure')).toHaveLength(STAGES * perStage);
  expect(asked.filter((name) => name === 'record').length).toBeGreaterThan(STAGES);
  expect(localActivitiesOf(histories).filter((name) => name === 'recordLocally').length).toBeGreaterThan(
    STAGES,
  );
  expect(await replay(bundle, histories)).toEqual([]);
});
