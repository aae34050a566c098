import { defineArea, type Kernel } from '../../kernel/area.ts';
import type { Accounts } from '../accounts/index.ts';
import type { Notifications } from '../notifications/index.ts';
import type { TaskResultStore } from '../results/index.ts';
import { createIssues } from './issues.ts';
import { createIssueStore, issueIndexes } from './store.ts';

export type Issues = ReturnType<typeof issues.create>;

interface Needs extends Kernel {
  accounts: Pick<Accounts, 'users'>;
  results: TaskResultStore;
  notifications: Pick<Notifications, 'tell'>;
}

/** What people say about task results. */
export const issues = defineArea({
  name: 'issues',
  indexes: [issueIndexes],
  create({ db, settings, accounts, results, notifications }: Needs) {
    return createIssues({
      store: createIssueStore(db),
      results,
      users: accounts.users,
      tell: notifications.tell,
      limits: settings,
    });
  },
});
