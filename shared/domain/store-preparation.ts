import type { Database } from '../kernel/database.ts';
import { ensureIndexes } from '../kernel/index-builds.ts';
import type { Logger } from '../kernel/log.ts';
import {
  checkStoreVersion,
  type MigrateOptions,
  type Migration,
  migrateStore,
} from '../kernel/migrations.ts';
import { domain } from './areas.ts';
import { createChipFolderMigration } from './configuration/index.ts';
import type { Settings } from './settings.ts';

interface StoreDependencies {
  database: Database;
  settings: Pick<Settings, 'CONFIG_PATH'>;
  log: Pick<Logger, 'info' | 'warn'>;
}

/** All migrations, the oldest first. A new one is added at the end, and none is ever removed or renamed. */
export function storeMigrations({ database, settings, log }: StoreDependencies): Migration[] {
  return [createChipFolderMigration({ db: database.db, log, directory: settings.CONFIG_PATH })];
}

/**
 * Migrates the stored data, then builds the indexes. One process does so; the others wait for it.
 * @throws StoreNotMigrated if a newer release has changed the store, if a migration fails, or on an unfinished restore
 */
export async function prepareStore(dependencies: StoreDependencies, options: MigrateOptions): Promise<void> {
  await migrateStore(dependencies.database, storeMigrations(dependencies), options);
  await ensureIndexes(dependencies.database, domain.collections, options);
}

/**
 * For a process that does not have the files of the installation and so cannot migrate.
 * @throws StoreNotMigrated if a newer release has changed the store
 */
export async function checkStoreIsUsable(dependencies: StoreDependencies): Promise<void> {
  await checkStoreVersion(dependencies.database.db, storeMigrations(dependencies));
}
