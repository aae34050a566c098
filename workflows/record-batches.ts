import { CancellationScope } from '@temporalio/workflow';
import type { RecordInput, RecordOutput } from '../activities/contract.ts';
import type { RunPolicy } from '../shared/domain/runs/run-model.ts';
import { recordKeeping } from './policies.ts';
import { labelOf } from './summaries.ts';

/** Records of one activity: with answers as heavy as they may be they are a quarter of what the engine takes. */
const TOGETHER = 8;

interface Waiting {
  step: RecordInput;
  /** Told when the step is recorded, or null when it has to be tried by itself. */
  resolve(recorded: RecordOutput | null): void;
  reject(thrown: unknown): void;
}

export type RecordBatches = ReturnType<typeof createRecordBatches>;

/**
 * Records of targets that finish while others are recorded go together, in one activity. One that fails there is tried by
 * itself, so that it holds up nobody and says itself what is wrong. None is cancelled: what was measured is kept.
 */
export function createRecordBatches(policy: RunPolicy) {
  let underWay = 0;
  let waiting: Waiting[] = [];

  function alone(step: RecordInput): Promise<RecordOutput> {
    const label = labelOf(step.targets);
    const records = recordKeeping(policy, { summary: `${label}: record`, id: `record · ${label}` });
    return CancellationScope.nonCancellable(() => records.record(step));
  }

  async function together(batch: readonly Waiting[]): Promise<void> {
    const labels = batch.map(({ step }) => labelOf(step.targets)).join(', ');
    const records = recordKeeping(policy, { summary: `${labels}: record`, id: `record · ${labels}` });
    try {
      const { recorded } = await CancellationScope.nonCancellable(() =>
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

  return {
    /** Records a measurement that finished. @throws as the activity `record` does */
    async record(step: RecordInput): Promise<RecordOutput> {
      if (underWay === 0) return tracked(() => alone(step));
      const recorded = await new Promise<RecordOutput | null>((resolve, reject) => {
        waiting.push({ step, resolve, reject });
        send();
      });
      return recorded ?? tracked(() => alone(step));
    },
  };
}
