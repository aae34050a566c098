import type { Db } from './database.ts';
import { databaseIn } from './database-address.ts';
import type { Logger } from './log.ts';

/** Warnings for the operator about a store that works, but is not configured well: one message each. */
export async function storeWarnings(db: Db, address: string): Promise<string[]> {
  const warnings: string[] = [];
  const { setName, msg } = await db.command({ hello: 1 });
  if (setName === undefined && msg !== 'isdbgrid') {
    warnings.push(
      'The database is a single server. A failure of its machine stops the service and can lose data; production needs a replica set.',
    );
  }
  const named = databaseIn(address);
  if (named !== null && named !== db.databaseName) {
    warnings.push(
      `MONGODB_URI names the database ${named}, but MONGODB_DATABASE decides: ${db.databaseName} is used.`,
    );
  }
  return warnings;
}

/** Logs the warnings; called once at the start of a process. */
export async function logStoreWarnings(db: Db, address: string, log: Logger): Promise<void> {
  for (const warning of await storeWarnings(db, address)) log.warn(warning);
}
