import { setHandler } from '@temporalio/workflow';
import { addCounts, countsMessage, noCounts } from '../shared/domain/results/count-rules.ts';
import { type CommonestCause, causeMessage } from '../shared/domain/runs/cause-rules.ts';
import type { RunProgress } from '../shared/domain/runs/progress-rules.ts';
import type { StageOutcome } from '../shared/domain/runs/run-model.ts';
import { showDetails } from './details.ts';
import { progressQuery } from './queries.ts';
import { pauseReason, type RunController } from './run-control.ts';
import { stageWaitSignal } from './signals.ts';

/** A stage that will run next. */
interface EnteredStage {
  index: number;
  name: string;
  targets: number;
  tasks: number;
  /** Id of the stage's workflow; null if the run has no stage workflow. */
  workflow_id: string | null;
}

/** Progress of a run and what it waits for: counts of its stages, the query `progress`, and the operators' view. */
export function createRunProgress(controller: RunController) {
  let counts = noCounts;
  let passed = 0;
  let targets = 0;
  let current: EnteredStage | null = null;
  let waiting: string | null = null;
  let expected: string | null = null;
  let cause: CommonestCause | null = null;

  /** What the running stage reports that it waits for. */
  let stageWaits: string | null = null;

  const waitingFor = () => pauseReason(controller.current()) ?? waiting ?? stageWaits;

  /** How users can end the wait. */
  const toContinue = () => {
    const { paused, preempted_by } = controller.current();
    if (preempted_by !== undefined) return null;
    return paused ? 'the signal or update resume' : expected;
  };

  function show(): void {
    const lines = [
      waitingFor() ? `Waiting for: ${waitingFor()}` : 'It continues automatically.',
      current
        ? `Running stage ${current.index} ${current.name}: ${current.tasks} tasks on ${current.targets} targets.`
        : 'Between stages.',
      ...(toContinue() ? [`To continue, send ${toContinue()}.`] : []),
      `Before: ${countsMessage(counts)}${cause ? ` ${causeMessage(cause)}` : ''}`,
      ...(current?.workflow_id ? [`Its progress: workflow ${current.workflow_id}.`] : []),
    ];
    showDetails(lines);
  }

  controller.shownBy(show);
  setHandler(
    stageWaitSignal,
    (what) => {
      stageWaits = typeof what === 'string' ? what : null;
      show();
    },
    {
      description: 'Sent by a stage: what it waits for. Input: a message, or null once it no longer waits.',
    },
  );
  setHandler(
    progressQuery,
    (): RunProgress => ({
      stage: current?.name ?? null,
      open_stage: current?.workflow_id ?? null,
      done: counts.completed,
      failed: counts.failed,
      skipped: counts.skipped,
      total: counts.total,
      waiting_for: waitingFor(),
    }),
  );

  return {
    counts: () => counts,
    /** The targets of all stages, and those that reached the end of their task list. */
    targets: () => targets,
    passed: () => passed,
    /** The most common cause of failure in any stage; null if nothing failed. */
    cause: () => cause,
    show,

    enter(stage: EnteredStage): void {
      current = stage;
      stageWaits = null;
      show();
    },

    leave(outcome: StageOutcome): void {
      current = null;
      stageWaits = null;
      counts = addCounts(counts, outcome.counts);
      passed += outcome.passed;
      targets += outcome.targets;
      if (outcome.cause && outcome.cause.count > (cause?.count ?? 0)) cause = outcome.cause;
      show();
    },

    /** @param message the signal or update that ends the wait, with its input, if there is one */
    waitFor(what: string | null, message: string | null = null): void {
      waiting = what;
      expected = message;
      show();
    },
  };
}
