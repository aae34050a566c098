import type { Db } from 'mongodb';
import type { CollectionIndexes } from '../../kernel/database.ts';
import { type ExecutionId, keyOf, type ProjectId } from '../../kernel/ids.ts';
import type { FlowAnswer } from '../flows/model.ts';
import { createFlowEntryStore } from './flow-entry-store.ts';
import type { FlowCommandDocument, StageSummary } from './model.ts';

export const commandIndexes: readonly CollectionIndexes[] = [
  {
    collection: 'flow_steps',
    indexes: [{ name: 'by_execution', key: { project_id: 1, execution_id: 1, index: 1 }, unique: true }],
  },
  {
    collection: 'flow_entries',
    indexes: [{ name: 'by_execution', key: { project_id: 1, execution_id: 1, index: 1 }, unique: true }],
  },
];

/** When a command was planned and answered. */
export type CommandTimes = Pick<FlowCommandDocument, 'execution_id' | 'kind' | 'created_at' | 'answered_at'>;

export type CommandStore = ReturnType<typeof createCommandStore>;

/** The commands of each run's flow in order, with plan and outcome, and the flow's log. */
export function createCommandStore(db: Db) {
  const commands = db.collection<FlowCommandDocument>('flow_steps');
  return {
    ...createFlowEntryStore(db),

    /** Stores a command once; a repeat changes nothing. */
    async plan(command: FlowCommandDocument): Promise<void> {
      const { _id, ...fields } = command;
      await commands.updateOne({ _id }, { $setOnInsert: fields }, { upsert: true });
    },

    get(projectId: ProjectId, executionId: ExecutionId, index: number): Promise<FlowCommandDocument | null> {
      return commands.findOne({ _id: keyOf(projectId, executionId, index) });
    },

    /** Number of the newest command of a run; -1 if there is none. */
    async newestIndex(projectId: ProjectId, executionId: ExecutionId): Promise<number> {
      const newest = await commands.findOne(
        { project_id: projectId, execution_id: executionId },
        { sort: { index: -1 }, projection: { _id: 0, index: 1 } },
      );
      return newest?.index ?? -1;
    },

    /** All commands of a run in order, without the metrics of stages. */
    ofExecution(projectId: ProjectId, executionId: ExecutionId): Promise<FlowCommandDocument[]> {
      return commands
        .find({ project_id: projectId, execution_id: executionId })
        .project<FlowCommandDocument>({ 'summary.metrics': 0 })
        .sort({ index: 1 })
        .toArray();
    },

    /** Stages after the given command, as planned. */
    stagesAfter(
      projectId: ProjectId,
      executionId: ExecutionId,
      index: number,
    ): Promise<Pick<FlowCommandDocument, 'index' | 'name' | 'tasks' | 'targets' | 'created_at'>[]> {
      return commands
        .find({ project_id: projectId, execution_id: executionId, kind: 'stage', index: { $gt: index } })
        .project<Pick<FlowCommandDocument, 'index' | 'name' | 'tasks' | 'targets' | 'created_at'>>({
          _id: 0,
          index: 1,
          name: 1,
          'tasks.name': 1,
          targets: 1,
          created_at: 1,
        })
        .sort({ index: 1 })
        .toArray();
    },

    /** When each command of these runs was planned and answered. */
    times(projectId: ProjectId, executionIds: readonly ExecutionId[]): Promise<CommandTimes[]> {
      return commands
        .find({ project_id: projectId, execution_id: { $in: [...executionIds] } })
        .project<CommandTimes>({ _id: 0, execution_id: 1, kind: 1, created_at: 1, answered_at: 1 })
        .sort({ execution_id: 1, index: 1 })
        .toArray();
    },

    /** A page of the stages of a run in order, without their metrics. */
    async stages(projectId: ProjectId, executionId: ExecutionId, page: { skip: number; limit: number }) {
      const filter = { project_id: projectId, execution_id: executionId, kind: 'stage' as const };
      const [items, total] = await Promise.all([
        commands
          .find(filter)
          .project<FlowCommandDocument>({ 'summary.metrics': 0 })
          .sort({ index: 1 })
          .skip(page.skip)
          .limit(page.limit)
          .toArray(),
        commands.countDocuments(filter),
      ]);
      return { items, total };
    },

    /** Marks a command as done, once: time and summary of the first call are kept. */
    async complete(
      projectId: ProjectId,
      executionId: ExecutionId,
      index: number,
      outcome: {
        status: 'done' | 'cancelled';
        summary: StageSummary | null;
        answer?: FlowAnswer;
        at: Date;
      },
    ): Promise<void> {
      const { status, summary, answer, at } = outcome;
      await commands.updateOne(
        { _id: keyOf(projectId, executionId, index), answered_at: null },
        { $set: { status, summary, answered_at: at, ...(answer ? { answer } : {}) } },
      );
    },

    /** Positions of the completed commands of a run. A stage is completed when all its measurements are done. */
    async completed(projectId: ProjectId, executionId: ExecutionId): Promise<number[]> {
      const done = commands
        .find({ project_id: projectId, execution_id: executionId, answered_at: { $ne: null } })
        .project<{ index: number }>({ _id: 0, index: 1 });
      return (await done.toArray()).map(({ index }) => index);
    },
  };
}
