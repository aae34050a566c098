import type { Db } from 'mongodb';
import type { ExecutionId, ProjectId } from '../../kernel/ids.ts';

/** Messages of a run that are kept in the store: the first ones and the newest ones. The run's log file has all of them. */
const FIRST_MESSAGES = 500;
const NEWEST_MESSAGES = 500;

/** A line that a flow logged, or a value that it recorded. */
export interface FlowEntryDocument {
  _id: string;
  project_id: ProjectId;
  execution_id: ExecutionId;
  index: number;
  kind: 'log' | 'record';
  text: string;
  value: unknown;
  created_at: Date;
}

/** What the flow of each run logged and recorded. */
export function createFlowEntryStore(db: Db) {
  const entries = db.collection<FlowEntryDocument>('flow_entries');

  return {
    /**
     * Stores the log and record entries of a flow. Entries are numbered over the whole run, so a repeat stores none twice. All
     * recorded values are kept, and both ends of the messages; a message between them names the file with all of them.
     */
    async addEntries(documents: readonly FlowEntryDocument[], logFile: string): Promise<void> {
      const last = documents.at(-1);
      if (!last) return;
      const { project_id, execution_id } = last;
      const middle = { $gte: FIRST_MESSAGES, $lte: last.index - NEWEST_MESSAGES };
      const isMiddle = ({ kind, index }: FlowEntryDocument) =>
        kind === 'log' && index >= middle.$gte && index <= middle.$lte;
      const firstOfMiddle = documents.find(isMiddle);
      await entries.bulkWrite(
        documents
          .filter((document) => document === firstOfMiddle || !isMiddle(document))
          .map(({ _id, ...fields }) => ({
            updateOne: { filter: { _id }, update: { $setOnInsert: fields }, upsert: true },
          })),
      );
      if (middle.$lte < middle.$gte) return;
      const ofRun = { project_id, execution_id, kind: 'log' as const };
      const gap = await entries.findOne({ ...ofRun, index: middle }, { sort: { index: 1 } });
      if (!gap) return;
      const text = `The messages between this and the newest ${NEWEST_MESSAGES} are in the file ${logFile}.`;
      await entries.updateOne({ _id: gap._id }, { $set: { text } });
      await entries.deleteMany({ ...ofRun, index: { $gt: gap.index, $lte: middle.$lte } });
    },

    /** A page of the log and record entries of a run's flow, in order. */
    async entries(
      projectId: ProjectId,
      executionId: ExecutionId,
      { skip, limit }: { skip: number; limit: number },
    ) {
      const filter = { project_id: projectId, execution_id: executionId };
      const [items, total] = await Promise.all([
        entries.find(filter).sort({ index: 1 }).skip(skip).limit(limit).toArray(),
        entries.countDocuments(filter),
      ]);
      return { items, total };
    },

    /** The log and record entries of a run's flow after this index, in order. */
    entriesAfter(
      projectId: ProjectId,
      executionId: ExecutionId,
      index: number,
    ): Promise<FlowEntryDocument[]> {
      return entries
        .find({ project_id: projectId, execution_id: executionId, index: { $gt: index } })
        .sort({ index: 1 })
        .toArray();
    },

    /** Number of the newest log or record entry of a run's flow; -1 if there is none. Entries are stored in order. */
    async newestEntry(projectId: ProjectId, executionId: ExecutionId): Promise<number> {
      const newest = await entries.findOne(
        { project_id: projectId, execution_id: executionId },
        { sort: { index: -1 }, projection: { _id: 0, index: 1 } },
      );
      return newest?.index ?? -1;
    },

    /** The newest log and record entries of a run's flow, in order. */
    async newestEntries(
      projectId: ProjectId,
      executionId: ExecutionId,
      limit: number,
    ): Promise<FlowEntryDocument[]> {
      const filter = { project_id: projectId, execution_id: executionId };
      return (await entries.find(filter).sort({ index: -1 }).limit(limit).toArray()).reverse();
    },
  };
}
