/** Steps prepare and finish_and_continue: the next task that is measured. */
import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import { keyOf, type TaskId } from '../../shared/kernel/ids.ts';
import { missingTaskMessage } from '../missing-task.ts';
import type { createApplier } from './applying.ts';
import type { createClosing } from './closing.ts';
import type { RecordDependencies } from './dependencies.ts';
import type { FreshRows } from './fresh-rows.ts';
import type { createMeasurementRequests } from './measurement-requests.ts';
import type { createMuxSharing } from './mux-sharing.ts';
import type { Task } from './plans.ts';
import type { createRowMaking } from './row-making.ts';
import { byPass } from './row-passes.ts';
import { type AfterClosing, type Step, takePendingWrites } from './step.ts';
import type { StepCounts } from './step-counts.ts';
import { rowId } from './target-rows.ts';
import { taskIdAt } from './task-ids.ts';

/** Advances targets to their next measurement. */
export function createNextTask({
  plans,
  trailing,
  freshRows,
  applier,
  counts,
  requests,
  closing,
  rowMaking,
  shareMux,
}: Pick<RecordDependencies, 'plans' | 'trailing'> & {
  freshRows: Pick<FreshRows, 'follow'>;
  applier: Pick<ReturnType<typeof createApplier>, 'keep'>;
  counts: StepCounts;
  requests: ReturnType<typeof createMeasurementRequests>;
  closing: ReturnType<typeof createClosing>;
  rowMaking: Pick<ReturnType<typeof createRowMaking>, 'prepare'>;
  shareMux: ReturnType<typeof createMuxSharing>;
}) {
  /**
   * Whether a multiplexer task must be measured. If an earlier step of the schedule has measured it for these targets, the
   * ones that passed continue.
   */
  async function isToBeMeasured({ input, plan, output }: Step, task: Task, taskId: TaskId): Promise<boolean> {
    const sharing = await shareMux(plan, {
      run: input.run,
      stage: input.stage,
      index: output.index,
      targets: output.passed,
      rowId: (target) => rowId(task, taskId, target),
    });
    const isMeasured = 'measured' in sharing;
    output.passed = isMeasured ? sharing.measured : sharing.passed;
    if (!isMeasured) output.index += 1;
    return isMeasured;
  }

  /** Closes rows that need no measurement: they are computed from their inputs, or already have an outcome. */
  async function closeUnmeasured(step: Step, task: Task, rows: readonly TaskResultDocument[]): Promise<void> {
    // The preceding tasks must end first.
    await applier.keep(takePendingWrites(step));
    const closed = await Promise.all(
      rows.map((row) =>
        closing.close(step.input.run, task, { target: row.qid, taskId: row.task_id, passId: null }, null),
      ),
    );
    const ended = closed.flatMap((each) => ('ended' in each ? [each] : []));
    await Promise.all(ended.map(({ rest }) => applier.keep(rest)));
    await counts.count(
      step,
      ended.map((each) => each.ended),
    );
  }

  /** Advances to the next task that is measured. Computed tasks before it are computed here. */
  async function prepareNext(
    step: Step,
    { upstreamId, nextRow }: Extract<AfterClosing, { isOver: true }>,
  ): Promise<void> {
    const { input, plan, output } = step;
    const { run, stage } = input;
    let upstream = upstreamId;
    for (let isFirst = true; output.passed.length > 0; isFirst = false) {
      const planned = plan.tasks[output.index];
      // A task shared with other targets is prepared by a separate step, when all of them have reached it.
      if (planned && planned.scope !== 'target' && (input.step !== 'prepare' || !isFirst)) return;
      const missing = plans.missing(plan, output.index);
      if (missing !== null) output.missing_task = { ...missing, message: missingTaskMessage(missing) };
      const task = plans.known(plan, output.index);
      if (!task) return;
      const place = { run, stage, targets: output.passed, index: output.index };
      const taskId = taskIdAt(place);
      if (task.planned.scope === 'mux' && !(await isToBeMeasured(step, task, taskId))) return;
      const { passed: targets, index } = output;
      const { prepared, failed } = await (isFirst && nextRow
        ? nextRow()
        : rowMaking.prepare({ run, stage, plan, task, targets, index, taskId, upstreamId: upstream }));
      const rows = prepared.map(({ row }) => row);
      const isMeasured = task.definition.kind === 'measured';
      const { earlier, now } = byPass(rows);
      const open = isMeasured ? now.filter((row) => row.status === 'running' && !row.outcome) : [];
      // Failed targets that continue are counted by the step that closes the measurement, not here.
      await counts.count(
        step,
        failed.filter(({ goes_on }) => !(open.length > 0 && goes_on)),
      );
      if (open.length > 0) {
        await counts.count(step, earlier);
        output.next = await requests.requestFor(step, task, { taskId, rows: now });
        if (nextRow && isFirst)
          freshRows.follow(
            keyOf(run.project_id, taskId),
            trailing.follow(takePendingWrites(step), applier.keep),
          );
        return;
      }
      if (rows.length > 0) await closeUnmeasured(step, task, rows);
      else if (output.passed.length === 0) return;
      output.index += 1;
      if (isMeasured) return;
      upstream = taskId;
    }
  }

  return { prepareNext };
}
