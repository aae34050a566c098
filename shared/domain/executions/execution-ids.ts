import type { Collection } from 'mongodb';
import { isDuplicateKey, retryDuplicateKey } from '../../kernel/database.ts';
import { type ExecutionId, keyOf, type ProjectId } from '../../kernel/ids.ts';
import { insertNew } from '../../kernel/insert-new.ts';
import { formatExecutionId, parseExecutionId } from './id-rules.ts';
import type { ExecutionDocument, ExecutionRequestDocument } from './model.ts';

/** Name of the collection of {@link CounterDocument}. */
export const COUNTERS = 'execution_counters';

export interface CounterDocument {
  _id: string;
  project_id: ProjectId;
  chip_id: string;
  date: string;
  index: number;
}

/** Maximum number of attempts to find a free execution id; more would mean that thousands of chips share a day. */
const RESERVATION_ATTEMPTS = 10_000;

/** Ids of executions, counted for each chip and day. */
export function createExecutionIds({
  executions,
  requests,
  counters,
}: {
  executions: Collection<ExecutionDocument>;
  requests: Collection<ExecutionRequestDocument>;
  counters: Collection<CounterDocument>;
}) {
  return {
    /**
     * Reserves the next execution id of (project, day, chip) and stores the request under it. Ids that another chip of the
     * project already uses are skipped; the insert decides, so no id is used twice.
     */
    async reserve(
      at: { project_id: ProjectId; chip_id: string; day: string },
      request: Omit<ExecutionRequestDocument, '_id' | 'project_id' | 'execution_id' | 'created_at'>,
    ): Promise<ExecutionId> {
      const counter = keyOf(at.project_id, at.day, at.chip_id);
      for (let attempt = 0; attempt < RESERVATION_ATTEMPTS; attempt += 1) {
        const document = await retryDuplicateKey(() =>
          counters.findOneAndUpdate(
            { _id: counter },
            {
              $inc: { index: 1 },
              $setOnInsert: { project_id: at.project_id, chip_id: at.chip_id, date: at.day },
            },
            { upsert: true, returnDocument: 'after' },
          ),
        );
        const executionId = formatExecutionId(at.day, (document?.index ?? 1) - 1);
        try {
          await insertNew(requests, {
            _id: keyOf(at.project_id, executionId),
            project_id: at.project_id,
            execution_id: executionId,
            ...request,
            created_at: new Date(),
          });
          return executionId;
        } catch (thrown) {
          if (!isDuplicateKey(thrown)) throw thrown;
        }
      }
      throw new Error(`no free execution id on ${at.day}`);
    },

    /**
     * Releases the id of a refused start. Its number is used again unless a later one was reserved and kept, so numbers may have
     * gaps.
     */
    async release({
      project_id,
      chip_id,
      execution_id,
    }: Pick<ExecutionDocument, 'project_id' | 'chip_id' | 'execution_id'>): Promise<void> {
      await requests.deleteOne({ _id: keyOf(project_id, execution_id) });
      const day = parseExecutionId(execution_id)?.day;
      if (day === undefined) return;
      const counter = keyOf(project_id, day, chip_id);
      for (;;) {
        const last = await counters.findOne({ _id: counter });
        if (!last || last.index === 0) return;
        // If the returned number is still in use, the insert of the next start fails and it takes the next number.
        const _id = keyOf(project_id, formatExecutionId(day, last.index - 1));
        const idOnly = { projection: { _id: 1 } };
        const users = await Promise.all([
          requests.findOne({ _id }, idOnly),
          executions.findOne({ _id }, idOnly),
        ]);
        if (users.some((user) => user !== null)) return;
        const lowered = await counters.updateOne(
          { _id: counter, index: last.index },
          { $inc: { index: -1 } },
        );
        if (lowered.modifiedCount === 0) return;
        if (last.index === 1) await counters.deleteOne({ _id: counter, index: 0 });
      }
    },
  };
}
