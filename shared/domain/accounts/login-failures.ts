import { type Db, retryDuplicateKey } from '../../kernel/database.ts';
import { LOGIN_FAILURE_WINDOW, MAX_LOGIN_FAILURES } from './rules.ts';

interface LoginFailuresDocument {
  _id: string;
  /** The latest failures, oldest first. */
  failures: Date[];
  expires_at: Date;
}

/** Failed logins, by username and address. */
export function createLoginFailures(db: Db) {
  const failures = db.collection<LoginFailuresDocument>('login_failures');

  return {
    /** The latest failed logins under a key, oldest first. */
    async loginFailures(key: string): Promise<readonly Date[]> {
      return (await failures.findOne({ _id: key }))?.failures ?? [];
    },

    /** Adds a failed login, and keeps the latest ones. */
    async recordLoginFailure(key: string, now: Date): Promise<void> {
      await retryDuplicateKey(() =>
        failures.updateOne(
          { _id: key },
          {
            $push: { failures: { $each: [now], $slice: -MAX_LOGIN_FAILURES } },
            $set: { expires_at: new Date(now.getTime() + LOGIN_FAILURE_WINDOW) },
          },
          { upsert: true },
        ),
      );
    },

    async clearLoginFailures(key: string): Promise<void> {
      await failures.deleteOne({ _id: key });
    },
  };
}
