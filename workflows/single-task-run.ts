import { ApplicationFailure, setCurrentDetails, setHandler } from '@temporalio/workflow';
import type { RecordOutput } from '../activities/contract.ts';
import { failureTypes } from '../shared/engine/failure-types.ts';
import { addCounts, noCounts } from '../shared/executions/rules.ts';
import type { RunProgress, SingleTaskRunInput } from '../shared/executions/run.ts';
import { holdingProject } from './lock.ts';
import { recordKeeping } from './policies.ts';
import { progressQuery } from './queries.ts';
import { runTargets } from './targets.ts';

/** One task on one target, with a project's lock like any run. A failed task fails the run. */
export async function singleTaskRun(input: SingleTaskRunInput): Promise<{ execution_id: string }> {
  const { policy, task_name, qid } = input;
  return holdingProject(input.run, policy, async (run) => {
    const records = recordKeeping(policy, `${task_name} on ${qid}: plan and summary`);
    let counts = noCounts;
    const progress = (): RunProgress => ({
      stage: task_name,
      done: counts.completed,
      failed: counts.failed,
      skipped: counts.skipped,
      total: counts.total,
      waiting_for: null,
    });
    setHandler(progressQuery, progress);
    setCurrentDetails(`${task_name} on ${qid}`);
    const { target, tasks } = await records.planSingleTask({ run });
    counts = { ...noCounts, total: tasks };
    const context = {
      run,
      policy,
      stage: 0,
      scopes: ['target' as const],
      draining: () => false,
      onRecord: (record: RecordOutput) => {
        counts = addCounts(counts, { ...record, cancelled: 0, total: 0 });
      },
    };
    await runTargets(context, [target], 0);
    const { passed } = await records.closeStage({ run, stage: 0, cancelled: false });
    if (passed === 0) {
      throw ApplicationFailure.create({
        message: `${task_name} did not pass on ${qid}.`,
        type: failureTypes.noTargetPassed,
        nonRetryable: true,
      });
    }
    return { message: `${task_name} on ${qid} ended.` };
  });
}
