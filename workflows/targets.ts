/** The loop of a target: its tasks one after the other, until they are done. */
import { CancellationScope, CancelledFailure, uuid4 } from '@temporalio/workflow';
import type { Preceding, RecordInput, RecordOutput } from '../activities/contract.ts';
import { measureAndRecord, tasksTogether } from './measure-and-record.ts';
import { measure } from './measurement.ts';
import { has } from './patches.ts';
import { recordKeeping } from './policies.ts';
import { labelOf } from './summaries.ts';
import type { TargetsRun } from './targets-run.ts';

/**
 * Runs the tasks of one target, or one task that several targets share, from `index` on.
 * @returns targets that go on and where: the list's end, a task they share with others, or where the stage holds back.
 */
export function runTargets(
  context: TargetsRun,
  targets: string[],
  index: number,
): Promise<Pick<RecordOutput, 'passed' | 'index'>> {
  return (context.tasks ? inOneActivity : inTwoActivities)(context, targets, index);
}

/** A task an activity, or several quick ones: where the worker that measures keeps records too. */
async function inOneActivity(
  context: TargetsRun,
  targets: string[],
  index: number,
): Promise<Pick<RecordOutput, 'passed' | 'index'>> {
  let at: Pick<RecordOutput, 'passed' | 'index'> = { passed: targets, index };
  let after: Preceding | null = context.mark ? { mark: context.mark } : null;
  for (let tasks = tasksTogether(context, index); tasks; tasks = tasksTogether(context, at.index)) {
    const ended = await measureAndRecord(context, tasks, { targets: at.passed, index: at.index, after });
    if (!ended) break;
    const { recorded } = ended;
    after = ended.after ?? null;
    context.onRecord(recorded);
    if (CancellationScope.current().consideredCancelled) throw new CancelledFailure('cancelled after a task');
    const isAlone = context.scopes[at.index] === 'target' && context.scopes[recorded.index] === 'target';
    at = recorded;
    if (at.passed.length === 0 || context.holdsBack() || !isAlone) return at;
  }
  return inTwoActivities(context, at.passed, at.index);
}

/** Record, measure, record, measure …: where the worker that measures keeps no records. */
async function inTwoActivities(
  context: TargetsRun,
  targets: string[],
  index: number,
): Promise<Pick<RecordOutput, 'passed' | 'index'>> {
  const { run, policy, stage, scopes, answers, batches } = context;
  const label = labelOf(targets);
  const records = recordKeeping(policy, { summary: `${label}: record`, id: `record · ${label}` });
  const first: RecordInput = { run, stage, targets, index, finished: null, next_task_id: uuid4() };
  const atOnce = context.atOnce && has('recordsAtOnce');
  const shielded = new CancellationScope({ cancellable: false });
  let recorded = await (atOnce ? batches.record(first, atOnce) : records.record(first));
  context.onRecord(recorded);
  while (recorded.next) {
    const { request, timeout } = recorded.next;
    const { passed, index: at } = recorded;
    const { finished, bytes } = await measure(run, policy, request, timeout);
    const scope = CancellationScope.current();
    const cancelled = scope.consideredCancelled;
    const isAlone = scopes[at] === 'target';
    // What targets share prepares no next task, but may be measured again.
    const goesOn = () =>
      !scope.consideredCancelled && !context.holdsBack() && (isAlone || has('sharedPasses'));
    // What was measured is kept even when the run is being cancelled.
    recorded = await shielded.run(() =>
      answers.carrying(bytes, () => {
        const next_task_id = goesOn() ? uuid4() : null;
        const step = {
          ...{ run, stage, targets: passed, index: at, finished, next_task_id },
          ...(!isAlone && { goes_on: false }),
        };
        return has('recordBatches') ? batches.record(step, atOnce) : records.record(step);
      }),
    );
    context.onRecord(recorded);
    if (cancelled) throw new CancelledFailure('cancelled after a measurement');
  }
  return recorded;
}
