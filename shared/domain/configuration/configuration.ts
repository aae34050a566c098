import { setTimeout } from 'node:timers/promises';
import type { Db } from '../../kernel/database.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Asker, ParsingPool } from '../parsing/index.ts';
import { type ConfigurationLimits, createConfigurationFiles, type KnownFile } from './files.ts';
import { followConfiguration, REREAD_INTERVAL } from './following.ts';
import type { Remote } from './git-command.ts';
import { createRepository } from './repository.ts';
import { createConfigurationRevisions } from './store.ts';

export interface ConfigurationDependencies {
  db: Db;
  log: Logger;
  parsing: ParsingPool;
  directory: string;
  remote: Remote;
  limits: ConfigurationLimits;
}

/** The configuration of the installation: its files, their git repository, and the content parsed from them. */
export function createConfiguration(dependencies: ConfigurationDependencies) {
  const { db, log, parsing, directory, remote, limits } = dependencies;
  const followed: KnownFile[] = [];
  const forgetting: (() => void)[] = [];
  const revisions = createConfigurationRevisions(db);
  const files = createConfigurationFiles(directory, parsing, followed, limits);
  const repository = createRepository(directory, remote, log);
  return {
    files: {
      ...files,
      /** Writes a file as {@link createConfigurationFiles} does. */
      async write(path: string, content: string, asker: Asker): Promise<void> {
        await files.write(path, content, asker);
        repository.forgetStatus();
      },
      /** Removes a file as {@link createConfigurationFiles} does. */
      async remove(path: string): Promise<void> {
        await files.remove(path);
        repository.forgetStatus();
      },
    },
    repository,

    /**
     * Caches the result of `read` and renews it after each reload, in every process. From then on, content that the file's check
     * rejects is neither written nor reloaded.
     */
    follow<Content>(file: KnownFile, read: () => Promise<Content>): () => Promise<Content> {
      followed.push(file);
      const { current, forget } = followConfiguration(revisions, read, log);
      forgetting.push(forget);
      return current;
    },

    /**
     * Makes every process read the configuration again, if all of it is valid. It returns when they do, so that what its caller
     * starts next finds the new configuration everywhere.
     * @returns names of the cached files, in alphabetical order
     * @throws invalid_configuration
     */
    async reload(): Promise<string[]> {
      await files.checkAll();
      await revisions.raise();
      for (const forget of forgetting) forget();
      await setTimeout(REREAD_INTERVAL);
      return followed.map(({ name }) => name).sort();
    },
  };
}
