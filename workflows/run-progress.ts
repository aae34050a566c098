import { setCurrentDetails, setHandler } from '@temporalio/workflow';
import { addCounts, countsSentence, noCounts } from '../shared/domain/results/count-rules.ts';
import type { RunProgress } from '../shared/domain/runs/progress-rules.ts';
import type { StageOutcome } from '../shared/domain/runs/run-model.ts';
import { progressQuery } from './queries.ts';
import { pauseSentence, type RunController } from './run-control.ts';

/** A stage that is about to run. */
interface EnteredStage {
  index: number;
  name: string;
  targets: number;
  tasks: number;
  /** Of the stage, null where the run measures by itself. */
  workflow_id: string | null;
}

/** How far a run is and what it waits for: counts of its stages, the `progress` query, the operators' view. */
export function createRunProgress(controller: RunController) {
  let counts = noCounts;
  let passed = 0;
  let targets = 0;
  let current: EnteredStage | null = null;
  let waiting: string | null = null;

  const waitingFor = () => pauseSentence(controller.current()) ?? waiting;

  function show(): void {
    const stage =
      current &&
      `Stage ${current.index} ${current.name}: ${current.tasks} tasks on ${current.targets} targets.`;
    const lines = [
      `${stage ?? 'Between stages.'} Before: ${countsSentence(counts)}`,
      ...(waitingFor() ? [`Waiting for: ${waitingFor()}`] : []),
    ];
    setCurrentDetails(lines.join('\n\n'));
  }

  controller.shownBy(show);
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
    /** Targets of all stages, and those of them whose every task completed. */
    targets: () => targets,
    passed: () => passed,
    show,

    enter(stage: EnteredStage): void {
      current = stage;
      show();
    },

    leave(outcome: StageOutcome): void {
      current = null;
      counts = addCounts(counts, outcome.counts);
      passed += outcome.passed;
      targets += outcome.targets;
      show();
    },

    waitFor(what: string | null): void {
      waiting = what;
      show();
    },
  };
}
