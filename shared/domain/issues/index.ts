import { defineArea, type Kernel } from '../../kernel/area.ts';
import type { Accounts } from '../accounts/index.ts';
import type { TaskResultStore } from '../results/index.ts';
import { createIssues } from './issues.ts';
import { createIssueStore, issueIndexes } from './store.ts';

export type Issues = ReturnType<typeof issues.create>;

/** What people say about task results. */
export const issues = defineArea({
  name: 'issues',
  indexes: [issueIndexes],
  create({ db, settings, accounts, results }: Kernel & { accounts: Accounts; results: TaskResultStore }) {
    return createIssues({ store: createIssueStore(db), results, users: accounts.users, limits: settings });
  },
});
