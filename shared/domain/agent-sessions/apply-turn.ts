import type { Db } from 'mongodb';
import { type CollectionIndexes, isDuplicateKey } from '../../kernel/database.ts';
import type { Engine } from '../../kernel/engine/temporal.ts';
import { describeWorkflow, isOpenWorkflow } from '../../kernel/engine/workflow-status.ts';

/** The workflow that currently changes the parameter files; one record for the whole installation. */
interface TurnDocument {
  _id: 'configuration';
  /** Id of the workflow; null when the turn is free. */
  workflow_id: string | null;
}

export const turnIndexes: CollectionIndexes = { collection: 'agent_apply_turns', indexes: [] };

/** Lets one workflow at a time change the parameter files, because each reads a file, changes a value and writes it back. */
export function createApplyTurn(db: Db, engine: Engine) {
  const turns = db.collection<TurnDocument>(turnIndexes.collection);
  const _id = 'configuration';

  async function pass(from: string | null, to: string): Promise<boolean> {
    try {
      const taken = await turns.updateOne(
        { _id, workflow_id: from },
        { $set: { workflow_id: to } },
        { upsert: from === null },
      );
      return taken.matchedCount + taken.upsertedCount === 1;
    } catch (thrown) {
      // Another workflow has the turn.
      if (isDuplicateKey(thrown)) return false;
      throw thrown;
    }
  }

  return {
    /** @returns whether this workflow has the turn; a turn whose workflow has closed is taken over */
    async take(workflowId: string): Promise<boolean> {
      const turn = await turns.findOne({ _id });
      const holder = turn?.workflow_id ?? null;
      if (holder === workflowId) return true;
      if (holder !== null) {
        const description = await describeWorkflow(engine, holder);
        if (description && isOpenWorkflow(description.status.name)) return false;
      }
      return pass(holder, workflowId);
    },

    async leave(workflowId: string): Promise<void> {
      await turns.updateOne({ _id, workflow_id: workflowId }, { $set: { workflow_id: null } });
    },
  };
}
