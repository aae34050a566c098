import { CancellationScope } from '@temporalio/workflow';
import type { RecordInput, RecordOutput } from '../activities/contract.ts';
import type { RunPolicy } from '../shared/domain/runs/run-model.ts';
import { activitiesAtOnce, recordKeeping } from './policies.ts';
import { labelOf } from './summaries.ts';

/** Records of one activity: with answers as heavy as they may be they are a quarter of what the engine takes. */
const TOGETHER = 8;
/** Records of a task that become activities after one that was not kept at once. */
const BELATED = 16;

interface Waiting {
  step: RecordInput;
  /** Told when the step is recorded, or null when it has to be tried by itself. */
  resolve(recorded: RecordOutput | null): void;
  reject(thrown: unknown): void;
}

/** Told null whatever went wrong: the activity that follows says it. */
type Gathered = Pick<Waiting, 'step' | 'resolve'>;

export type RecordBatches = ReturnType<typeof createRecordBatches>;

/**
 * Records of targets that finish while others are recorded go together, in one activity. One that fails there is tried by
 * itself, so that it holds up nobody and says itself what is wrong. None is cancelled: what was measured is kept.
 *
 * Where no more are in flight than a stage may wait for, records are kept where it is carried on, before it asks the engine
 * for anything else: that costs no activity. One that takes long or fails there becomes one, and so do the next ones of its
 * task.
 */
export function createRecordBatches(policy: RunPolicy) {
  // One for all: each new scope would stay with the one around it until that ends.
  const shielded = new CancellationScope({ cancellable: false });
  let underWay = 0;
  let waiting: Waiting[] = [];
  let gathered: Gathered[] = [];
  /** By position of a task, how many of its next records become activities. */
  const belated = new Map<number, number>();

  function alone(step: RecordInput): Promise<RecordOutput> {
    const label = labelOf(step.targets);
    const records = recordKeeping(policy, { summary: `${label}: record`, id: `record · ${label}` });
    return shielded.run(() => records.record(step));
  }

  async function together(batch: readonly Waiting[]): Promise<void> {
    const labels = batch.map(({ step }) => labelOf(step.targets)).join(', ');
    const records = recordKeeping(policy, { summary: `${labels}: record`, id: `record · ${labels}` });
    try {
      const { recorded } = await shielded.run(() =>
        records.recordTogether({ steps: batch.map(({ step }) => step) }),
      );
      for (const [position, { resolve }] of batch.entries()) resolve(recorded[position] ?? null);
    } catch (thrown) {
      for (const { reject } of batch) reject(thrown);
    }
  }

  /** Sends those that wait, once nobody else is being recorded or there are enough of them. */
  function send(): void {
    while (waiting.length > 0 && (underWay === 0 || waiting.length >= TOGETHER)) {
      const batch = waiting.slice(0, TOGETHER);
      waiting = waiting.slice(TOGETHER);
      void tracked(() => together(batch));
    }
  }

  async function tracked<T>(recording: () => Promise<T>): Promise<T> {
    underWay += 1;
    try {
      return await recording();
    } finally {
      underWay -= 1;
      send();
    }
  }

  async function keepAtOnce(batch: readonly Gathered[]): Promise<void> {
    const records = activitiesAtOnce();
    const steps = batch.map(({ step }) => step);
    // Whatever became of it, the activity that follows finds out and says what is wrong.
    const { recorded } = await shielded
      .run(() => records.recordAtOnce({ steps }))
      .catch(() => ({ recorded: [] }));
    for (const [position, { step, resolve }] of batch.entries()) {
      const own = recorded[position] ?? null;
      if (own === null) belated.set(step.index, BELATED);
      resolve(own);
    }
  }

  /** Gathers what the engine told of together: all of it arrives before what is begun here goes on. */
  function gather(step: RecordInput): Promise<RecordOutput | null> {
    return new Promise((resolve) => {
      gathered.push({ step, resolve });
      if (gathered.length > 1) return;
      void Promise.resolve().then(() => {
        const batch = gathered;
        gathered = [];
        void keepAtOnce(batch);
      });
    });
  }

  function isBelated({ index }: RecordInput): boolean {
    const left = belated.get(index) ?? 0;
    if (left > 0) belated.set(index, left - 1);
    return left > 0;
  }

  return {
    /**
     * Records a measurement that finished, or prepares the first one.
     * @param atOnce whether it may be kept where the stage is carried on
     * @throws as the activity `record` does
     */
    async record(step: RecordInput, atOnce: boolean): Promise<RecordOutput> {
      const kept = atOnce && !isBelated(step) ? await gather(step) : null;
      if (kept) return kept;
      if (underWay === 0) return tracked(() => alone(step));
      const recorded = await new Promise<RecordOutput | null>((resolve, reject) => {
        waiting.push({ step, resolve, reject });
        send();
      });
      return recorded ?? tracked(() => alone(step));
    },
  };
}
