import { setHandler } from '@temporalio/workflow';
import type { RecordOutput } from '../activities/contracts/steps.ts';
import { minuteText, type Waiting } from '../shared/domain/executions/status-rules.ts';
import { addCounts, countsMessage, noCounts } from '../shared/domain/results/count-rules.ts';
import type { TaskCounts } from '../shared/domain/results/model.ts';
import { causeMessage } from '../shared/domain/runs/cause-rules.ts';
import { estimatedEnd, type RunProgress } from '../shared/domain/runs/progress-rules.ts';
import type { RunControl, StageInput, StageOutcome } from '../shared/domain/runs/run-model.ts';
import { stageSummary } from '../shared/kernel/engine/summaries.ts';
import { showDetails } from './details.ts';
import { progressQuery } from './queries.ts';
import { pauseReason } from './run-control.ts';

export type StageProgress = ReturnType<typeof createStageProgress>;

/** Progress of a stage and what it waits for: its counts, the query `progress`, and the operators' view. */
export function createStageProgress(input: StageInput, control: () => RunControl) {
  const { index, name, resume } = input;
  const summary = stageSummary(input);
  const beganAt = resume?.began_at ?? new Date().toISOString();
  let counts: TaskCounts = resume?.counts ?? noCounts;
  let answers = 0;
  let waiting: Waiting | null = null;

  const waitingFor = () =>
    pauseReason(control()) ?? (waiting && `${waiting.for}, since ${minuteText(waiting.since)}`);

  function show(): void {
    const { completed, failed, skipped, total } = counts;
    const end = control().paused
      ? null
      : estimatedEnd({
          settled: completed + failed + skipped,
          total,
          since: new Date(beganAt),
          now: new Date(),
        });
    const lines = [
      waitingFor() ? `Waiting for: ${waitingFor()}` : 'It continues automatically.',
      `Stage ${index} ${name}: ${completed} done, ${failed} failed, ${skipped} skipped of ${total}.`,
      ...(end ? [`Estimated end: ${minuteText(end.toISOString())}.`] : []),
      ...(control().stopping ? ['Stops when the measurements in flight have ended.'] : []),
      summary,
    ];
    showDetails(lines);
  }

  setHandler(
    progressQuery,
    (): RunProgress => ({
      stage: name,
      open_stage: null,
      done: counts.completed,
      failed: counts.failed,
      skipped: counts.skipped,
      total: counts.total,
      waiting_for: waitingFor(),
    }),
  );

  return {
    beganAt,
    counts: () => counts,
    /** Number of steps in this workflow run that ended tasks, which shows that the backend answers. */
    answers: () => answers,
    waiting: () => waiting,
    show,

    setTotal(total: number): void {
      counts = { ...counts, total };
      show();
    },

    add(ended: Pick<RecordOutput, 'completed' | 'failed' | 'skipped'>): void {
      counts = addCounts(counts, {
        completed: ended.completed,
        failed: ended.failed,
        skipped: ended.skipped,
        cancelled: 0,
        total: 0,
      });
      if (ended.completed + ended.failed + ended.skipped > 0) answers += 1;
      show();
    },

    waitFor(what: Waiting | null): void {
      waiting = what;
      show();
    },

    /** Shows how the stage ended. */
    leave({ counts: ended, cause }: StageOutcome): void {
      showDetails([summary, countsMessage(ended), ...(cause ? [causeMessage(cause)] : [])]);
    },
  };
}
