import { defineArea, type Kernel } from '../../kernel/area.ts';
import { createAnswers } from './answering.ts';
import { approvalIndexes, createApprovalStore } from './store.ts';

export type Approvals = ReturnType<typeof approvals.create>;

/**
 * The questions that flows ask people: what runs do with them (open, settle, withdraw) and what people do (list,
 * answer).
 */
export const approvals = defineArea({
  name: 'approvals',
  indexes: [approvalIndexes],
  create({ db, engine }: Kernel) {
    const store = createApprovalStore(db);
    return { ...store, ...createAnswers({ engine, store }) };
  },
});
