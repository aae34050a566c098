import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import type { HeldRun } from '../../shared/domain/runs/run-model.ts';
import { runWithinLimits } from '../../shared/tasks/limited-values.ts';
import { combinedReason, combinedSettings, runOfNextPass } from '../../shared/tasks/next-pass.ts';
import type { FinishedMeasurement } from '../contracts/steps.ts';
import type { createApplier } from './applying.ts';
import type { createClosing } from './closing.ts';
import type { RecordDependencies } from './dependencies.ts';
import type { Task } from './plans.ts';
import { passOf } from './row-passes.ts';
import type { Closed, EndedRow, Prefetch, Wish } from './running-rows.ts';
import { rowId } from './target-rows.ts';

/** Closes the rows of targets that were measured together. */
export function createClosingTogether(
  { areas }: Pick<RecordDependencies, 'areas'>,
  { checkHolder, keep }: Pick<ReturnType<typeof createApplier>, 'checkHolder' | 'keep'>,
  { close }: Pick<ReturnType<typeof createClosing>, 'close'>,
) {
  const { results } = areas;

  /**
   * Starts the next pass of the rows that request one, all with the same settings.
   * @param settings of the next pass, if an earlier attempt of this step has started it for other rows
   * @returns the rows in their next pass, and those that have ended meanwhile
   */
  async function startNextPass(
    run: HeldRun,
    task: Task,
    wishes: readonly Wish['wish'][],
    settings: TaskResultDocument['run_parameters'] | undefined,
  ): Promise<{ started: TaskResultDocument[]; ended: TaskResultDocument[] }> {
    const started: TaskResultDocument[] = [];
    const ended: TaskResultDocument[] = [];
    const requests = wishes.map(({ row, again }) => ({ ...again, target: row.qid }));
    const again = combinedSettings(requests);
    // The repetition that a stage requests has all of the task's time, and so have the targets measured with it.
    const isRepetition = wishes.some(({ pass }) => pass.repeats);
    const deadline = isRepetition ? new Date(Date.now() + 1000 * task.definition.timeout) : undefined;
    for (const { row, pass, again: own } of wishes) {
      const reason = combinedReason({ ...own, target: row.qid }, requests);
      const wanted = runOfNextPass(row.run_parameters, again);
      const settled = {
        run: settings ?? runWithinLimits(task.definition, wanted, row.input_parameters).run,
        deadline,
      };
      const next = await results.addPass(run.project_id, row.task_id, { ...pass, reason }, settled);
      if (next) started.push(next);
      else ended.push((await results.get(run.project_id, row.task_id)) ?? row);
    }
    return { started, ended };
  }

  /**
   * Ends the rows of a measurement, and starts the next pass of those that request one. All of them get the same settings,
   * because they are measured together.
   * @returns also the pending writes of a target that is measured alone
   */
  async function closeAll(
    run: HeldRun,
    task: Task,
    {
      targets,
      finished,
      passId,
      prefetch,
    }: {
      targets: readonly string[];
      finished: FinishedMeasurement;
      passId: string | null;
      prefetch?: Prefetch | undefined;
    },
  ): Promise<{ ended: EndedRow[]; nextPass: TaskResultDocument[] } & Pick<Closed, 'rest' | 'nextRow'>> {
    const isAlone = targets.length === 1;
    const closed = await Promise.all(
      targets.map(async (target) => {
        const measured = { target, taskId: rowId(task, finished.task_id, target), passId, prefetch };
        const each = await close(run, task, measured, finished);
        if (!isAlone && 'ended' in each) await keep(each.rest);
        return each;
      }),
    );
    const begun = closed.flatMap((each) => ('nextPass' in each ? [each.nextPass] : []));
    const wishes = closed.flatMap((each) => ('wish' in each ? [each.wish] : []));
    const complete = closed.flatMap((each) => ('ended' in each ? [each] : []));
    if (wishes.length > 0) await checkHolder(run);
    const next = await startNextPass(run, task, wishes, begun[0]?.run_parameters);
    const nextPass = [...begun, ...next.started];
    const ended = [...complete.map((each) => each.ended), ...next.ended];
    // Only rows that ended in this pass count here; other passes count their own.
    const [from, to] = [finished.pass, Math.min(...nextPass.map(passOf))];
    return {
      ended: ended.filter((row) => passOf(row) >= from && passOf(row) < to),
      nextPass: nextPass.filter((row) => passOf(row) === to),
      rest: (isAlone && complete[0]?.rest) || [],
      nextRow: isAlone ? complete[0]?.nextRow : undefined,
    };
  }

  return { closeAll };
}
