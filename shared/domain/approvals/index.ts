/** Approvals: the questions that flows ask people, and their answers. */
import type { CollectionIndexes, Db } from '../../kernel/database.ts';
import type { Engine } from '../../kernel/engine/temporal.ts';
import { createAnswers } from './answering.ts';
import { approvalIndexes, createApprovalStore } from './store.ts';

export const indexes: readonly CollectionIndexes[] = [approvalIndexes];

export type Approvals = ReturnType<typeof createApprovals>;

/** What runs do with their questions (open, settle, withdraw), and what people do (list, answer). */
export function createApprovals({ db, engine }: { db: Db; engine: Engine }) {
  const store = createApprovalStore(db);
  return { ...store, ...createAnswers({ engine, store }) };
}
