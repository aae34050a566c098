import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { Areas } from '../shared/domain/areas.ts';
import type { FlowCommandDocument } from '../shared/domain/executions/model.ts';
import type { TaskResultDocument } from '../shared/domain/results/model.ts';
import type { HeldRun } from '../shared/domain/runs/run-model.ts';
import { failureTypes } from '../shared/kernel/engine/failure-types.ts';
import { NO_TASK } from '../shared/kernel/ids.ts';
import type { CalibrationActivities } from './contracts/runs.ts';
import type { CloseStageInput } from './contracts/steps.ts';
import type { Plans, Task } from './record/plans.ts';
import { newTaskRow } from './record/preparing.ts';
import { taskIdAt } from './record/task-ids.ts';
import type { RecordUndelivered } from './record/undelivered.ts';
import { summaryOf } from './stage-summary.ts';

/** Maximum bytes of the lanes' JSON in one answer of `openStage`, so that payloads stay below 16 KB. */
const LANES_BYTES = 12_000;
/** Number of rows written at a time. */
const SKIPPED_AT_ONCE = 500;
/** Attempts to record undelivered results before a stage closes without them, in total about 8 s. */
const UNDELIVERED_ATTEMPTS = 5;

export interface StageActivityDependencies {
  areas: Pick<Areas, 'executions' | 'results' | 'runs'>;
  plans: Plans;
  recordUndelivered: RecordUndelivered;
}

/** Activities at the start and end of a stage: its schedule, and its summary. */
export function createStageActivities(
  dependencies: StageActivityDependencies,
): Pick<CalibrationActivities, 'openStage' | 'closeStage'> {
  const { plans, recordUndelivered } = dependencies;
  const { results, runs } = dependencies.areas;
  const { commands } = dependencies.areas.executions;

  /** Stores all tasks of the plan as skipped that have no row, or a row for which nothing was measured. */
  async function skipMissing(
    input: CloseStageInput & { stopped: { by: string } },
    plan: FlowCommandDocument,
  ): Promise<void> {
    const { run, stage, stopped } = input;
    const { project_id, execution_id } = run;
    await results.skipOpen({ project_id, execution_id, stage }, skipMessage(stopped.by));
    const known = new Set<string>();
    let cooldown: string | null = null;
    for await (const row of results.stageRows(project_id, execution_id, stage)) {
      known.add(`${row.qid} ${row.index}`);
      cooldown ??= row.cooldown_id;
    }
    const tasks = plans.tasks(plan);
    let rows: TaskResultDocument[] = [];
    for (const target of plan.targets) {
      for (const { index, ...task } of tasks) {
        if (known.has(`${target} ${index}`)) continue;
        rows.push(skippedRow({ run, stage, target, index }, { task, cooldown, by: stopped.by }));
        if (rows.length < SKIPPED_AT_ONCE) continue;
        await results.createMany(rows);
        rows = [];
      }
    }
    if (rows.length > 0) await results.createMany(rows);
  }

  return {
    /**
     * A part of a step: lanes starting at the given one, as many as fit into one answer.
     * @throws ExecutionNotStartable if the stage has ended, because a run reset to an earlier point would measure it again
     */
    async openStage({ run, stage, step, lane }) {
      const plan = await plans.read(run, stage);
      if (plan.answered_at !== null) {
        throw ApplicationFailure.nonRetryable(
          `Stage ${plan.name} has ended and does not begin again. Start a new run instead of resetting this one.`,
          failureTypes.notStartable,
        );
      }
      const schedule = plan.schedule ?? [plan.targets.map((target) => [target])];
      const lanes = schedule[step] ?? [];
      let end = lane;
      for (let room = LANES_BYTES; end < lanes.length; end += 1) {
        room -= (lanes[end] ?? []).reduce((sum, target) => sum + target.length + 3, 2);
        if (room < 0 && end > lane) break;
      }
      return {
        targets: plan.targets.length,
        steps: schedule.length,
        scopes: plan.tasks.map((task) => task.scope),
        lanes: lanes.slice(lane, end),
        next: end < lanes.length ? end : null,
      };
    },

    /**
     * Summarises a stage from its rows, answers its command and shows the counts in the execution. Results answered before a
     * cancellation are recorded. Tasks that never started because a user stopped the run are stored as skipped. Safe to run
     * twice: the first summary is kept.
     */
    async closeStage(input) {
      const { run, stage, cancelled, stopped } = input;
      const plan = await plans.of(run, stage);
      if (cancelled) {
        const isLast = Context.current().info.attempt >= UNDELIVERED_ATTEMPTS;
        await recordUndelivered(run, stage, plan.targets, { isLast });
      }
      if (stopped) await skipMissing({ ...input, stopped }, plan);
      const rows = results.stageRows(run.project_id, run.execution_id, stage);
      const { summary, cause } = await summaryOf(plan, rows);
      await commands.complete(run.project_id, run.execution_id, stage, {
        status: cancelled ? 'cancelled' : 'done',
        summary,
        at: new Date(),
      });
      await runs.closer.showEndedStages(run.project_id, run.execution_id);
      return {
        counts: summary.counts,
        passed: summary.passed.length,
        targets: plan.targets.length,
        cause,
      };
    },
  };
}

const skipMessage = (by: string) => `Skipped, because ${by} stopped the run.`;

/** The row of a task that never started because a user stopped the run. */
function skippedRow(
  position: { run: HeldRun; stage: number; target: string; index: number },
  { task, cooldown, by }: { task: Task; cooldown: string | null; by: string },
): TaskResultDocument {
  const at = new Date();
  const task_id = taskIdAt({ ...position, targets: [position.target] });
  return {
    ...newTaskRow({ ...position, task_id, upstream_id: NO_TASK }, task, cooldown, at),
    status: 'skipped',
    message: skipMessage(by),
    start_at: null,
    end_at: at,
  };
}
