import { CancellationScope } from '@temporalio/workflow';
import type { RecordInput, RecordOutput, StepPlace } from '../activities/contracts/steps.ts';
import type { RunPolicy } from '../shared/domain/runs/run-model.ts';
import { createAnswersInFlight } from './answers-in-flight.ts';
import { createCompletions } from './completions.ts';
import { localActivities, recordKeeping } from './policies.ts';
import { labelOf } from './summaries.ts';

/** Number of steps of a task that use the normal activity after one was too slow for the local one. */
const SLOW_STEPS = 16;

interface WaitingStep {
  step: RecordInput;
  /** Called with the result of the step, or with null if the normal activity must do it. */
  resolve(recorded: RecordOutput | null): void;
}

export type RecordKeeping = ReturnType<typeof createRecordKeeping>;

/**
 * Record keeping of a stage. A local activity, in the process that executes the stage, does all waiting steps together, which
 * costs the server nothing. A step that fails or takes too long continues in the normal activity `record`, which is retried
 * until it succeeds, and the next steps of the same task go there too. No step is cancelled, so that measured data is kept.
 */
export function createRecordKeeping(policy: RunPolicy) {
  const shielded = new CancellationScope({ cancellable: false });
  const answers = createAnswersInFlight();
  /** By position of a task, the number of next steps that skip the local activity. */
  const slow = new Map<number, number>();
  let waiting: WaitingStep[] = [];

  const completions = createCompletions(doLocally);

  /** Runs all waiting steps. @returns a function that delivers their results */
  async function doLocally(): Promise<() => void> {
    const batch = waiting;
    waiting = [];
    const steps = batch.map(({ step }) => step);
    const { recorded } = await shielded
      .run(() => localActivities().recordLocally({ steps }))
      // The normal activity will report what is wrong.
      .catch(() => ({ recorded: [] }));
    return () => {
      for (const [position, { step, resolve }] of batch.entries()) {
        const own = recorded[position] ?? null;
        if (own === null) slow.set(step.index, SLOW_STEPS);
        resolve(own);
      }
    };
  }

  function isSlow({ index }: RecordInput): boolean {
    const left = slow.get(index) ?? 0;
    if (left > 0) slow.set(index, left - 1);
    return left > 0;
  }

  function doByActivity(step: RecordInput): Promise<RecordOutput> {
    const label = labelOf(step.targets);
    const records = recordKeeping(policy, { summary: `${label}: record`, id: `record · ${label}` });
    const bytes = 'finished' in step ? JSON.stringify(step.finished.result ?? null).length : 0;
    return shielded.run(() => answers.carrying(bytes, () => completions.follow(records.record(step))));
  }

  return {
    completions,

    /**
     * Records a finished measurement, or prepares the first one of a target.
     * @throws as the activity `record` does
     */
    async record(step: RecordInput): Promise<RecordOutput> {
      if (isSlow(step)) return doByActivity(step);
      const recorded = await new Promise<RecordOutput | null>((resolve) => {
        waiting.push({ step, resolve });
        completions.requestLocal();
      });
      return recorded ?? doByActivity(step);
    },

    /** Notes that the measurement at a place was taken back. If the stage ends first, it closes the rows. */
    async noteTakenBack(place: StepPlace): Promise<void> {
      const records = recordKeeping(
        policy,
        `${labelOf(place.targets)}: note that its measurement was taken back`,
      );
      await completions.follow(records.noteTakenBack(place));
    },
  };
}
