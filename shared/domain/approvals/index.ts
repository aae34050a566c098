import { defineArea, type Kernel } from '../../kernel/area.ts';
import { createAnswers } from './answering.ts';
import { approvalIndexes, createApprovalStore } from './store.ts';

export type Approvals = ReturnType<typeof approvals.create>;

/** Questions that flows ask people. Runs open, settle and withdraw them; people list and answer them. */
export const approvals = defineArea({
  name: 'approvals',
  indexes: [approvalIndexes],
  create({ db, engine }: Kernel) {
    const store = createApprovalStore(db);
    return { ...store, ...createAnswers({ engine, store }) };
  },
});
