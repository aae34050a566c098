import {
  ApplicationFailure,
  CancellationScope,
  getExternalWorkflowHandle,
  ParentClosePolicy,
  setCurrentDetails,
  setHandler,
  sleep,
  startChild,
} from '@temporalio/workflow';
import { failureTypes } from '../shared/engine/failure-types.ts';
import { stageWorkflowId } from '../shared/engine/workflow-ids.ts';
import { addCounts, countsSentence, noCounts } from '../shared/executions/rules.ts';
import type {
  CalibrationRunInput,
  HeldRun,
  RunPolicy,
  RunProgress,
  StageInput,
  StageOutcome,
} from '../shared/executions/run.ts';
import { holdingProject } from './lock.ts';
import { recordKeeping } from './policies.ts';
import { progressQuery } from './queries.ts';
import { stage } from './stage.ts';

/** Walks a flow: asks it for the next command, carries the command out, and so on to the end. */
export async function calibrationRun(input: CalibrationRunInput): Promise<{ execution_id: string }> {
  return holdingProject(input.run, input.policy, (run) => walkFlow(run, input.policy));
}

async function walkFlow(run: HeldRun, policy: RunPolicy): Promise<{ message: string }> {
  const records = recordKeeping(policy, 'ask the flow for its next command');
  let counts = noCounts;
  let passed = 0;
  let targets = 0;
  let current: string | null = null;
  setHandler(
    progressQuery,
    (): RunProgress => ({
      stage: current,
      done: counts.completed,
      failed: counts.failed,
      skipped: counts.skipped,
      total: counts.total,
      waiting_for: null,
    }),
  );
  for (let done = -1; ; ) {
    const command = await records.advanceFlow({ run, done });
    if (command.kind === 'end') break;
    if (command.kind === 'sleep') {
      current = null;
      setCurrentDetails(`The flow sleeps for ${command.seconds} s. So far: ${countsSentence(counts)}`);
      await sleep(command.seconds * 1000, { summary: 'the flow sleeps' });
    } else {
      current = command.name;
      setCurrentDetails(
        `Stage ${command.index} ${command.name}: ${command.tasks} tasks on ${command.targets} targets. Before: ${countsSentence(counts)}`,
      );
      const outcome = await runStage({
        run,
        policy,
        index: command.index,
        name: command.name,
        parallel: command.parallel ?? policy.parallel,
      });
      counts = addCounts(counts, outcome.counts);
      passed += outcome.passed;
      targets += outcome.targets;
    }
    done = command.index;
  }
  if (targets > 0 && passed === 0) {
    throw ApplicationFailure.create({
      message: 'No target passed any stage.',
      type: failureTypes.noTargetPassed,
      nonRetryable: true,
    });
  }
  return { message: 'The flow ended.' };
}

/** Runs a stage as a child, which may continue as new, and waits for its end. */
async function runStage(input: StageInput): Promise<StageOutcome> {
  const { run, index } = input;
  const workflowId = stageWorkflowId(run.project_id, run.execution_id, index);
  const child = await startChild(stage, {
    workflowId,
    // A terminated run still lets its stages stop the instruments in order.
    parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
    staticSummary: input.name,
    args: [input],
  });
  // The SDK's own cancel names the child's first run and is lost once that has continued as new (1.24.0, server
  // 1.29.1); this one names the workflow, whichever of its runs is open.
  CancellationScope.current().cancelRequested.catch(() =>
    CancellationScope.nonCancellable(() => getExternalWorkflowHandle(workflowId).cancel()).catch(
      () => undefined,
    ),
  );
  return child.result();
}
