import type { Db } from 'mongodb';
import type { CollectionIndexes } from '../database.ts';
import { keyOf } from '../ids.ts';
import type { FlowStepDocument, StageSummary } from './model.ts';

export const stepIndexes: readonly CollectionIndexes[] = [
  {
    collection: 'flow_steps',
    indexes: [{ name: 'by_execution', key: { project_id: 1, execution_id: 1, index: 1 }, unique: true }],
  },
  {
    collection: 'flow_entries',
    indexes: [{ name: 'by_execution', key: { project_id: 1, execution_id: 1, index: 1 }, unique: true }],
  },
];

/** A line that a flow logged, or a value that it recorded. */
export interface FlowEntryDocument {
  _id: string;
  project_id: string;
  execution_id: string;
  index: number;
  kind: 'log' | 'record';
  text: string;
  value: unknown;
  created_at: Date;
}

export type StepStore = ReturnType<typeof createStepStore>;

/** The commands of each run's flow in order, with plan and outcome, and what the flow logged. */
export function createStepStore(db: Db) {
  const steps = db.collection<FlowStepDocument>('flow_steps');
  const entries = db.collection<FlowEntryDocument>('flow_entries');
  return {
    /** Stores a command once; a repeat leaves what is stored. */
    async plan(step: FlowStepDocument): Promise<void> {
      const { _id, ...fields } = step;
      await steps.updateOne({ _id }, { $setOnInsert: fields }, { upsert: true });
    },

    get(projectId: string, executionId: string, index: number): Promise<FlowStepDocument | null> {
      return steps.findOne({ _id: keyOf(projectId, executionId, index) });
    },

    ofExecution(projectId: string, executionId: string): Promise<FlowStepDocument[]> {
      return steps.find({ project_id: projectId, execution_id: executionId }).sort({ index: 1 }).toArray();
    },

    /** Marks a command as done, once: time and summary of the first call stay. */
    async answer(
      projectId: string,
      executionId: string,
      index: number,
      outcome: { status: 'done' | 'cancelled'; summary: StageSummary | null; at: Date },
    ): Promise<void> {
      await steps.updateOne(
        { _id: keyOf(projectId, executionId, index), answered_at: null },
        { $set: { status: outcome.status, summary: outcome.summary, answered_at: outcome.at } },
      );
    },

    /** Stores what a flow logged and recorded; entries are numbered over the run, so none repeats. */
    async addEntries(documents: readonly FlowEntryDocument[]): Promise<void> {
      if (documents.length === 0) return;
      await entries.bulkWrite(
        documents.map(({ _id, ...fields }) => ({
          updateOne: { filter: { _id }, update: { $setOnInsert: fields }, upsert: true },
        })),
      );
    },

    entriesOf(projectId: string, executionId: string): Promise<FlowEntryDocument[]> {
      return entries.find({ project_id: projectId, execution_id: executionId }).sort({ index: 1 }).toArray();
    },
  };
}
