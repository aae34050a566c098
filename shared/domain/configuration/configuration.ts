import type { Db } from '../../kernel/database.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Asker, ParsingPool } from '../parsing/index.ts';
import { type ConfigurationLimits, createConfigurationFiles, type KnownFile } from './files.ts';
import { followConfiguration } from './following.ts';
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

/** The configuration of the installation: its files, the repository they are in, and what is made from them. */
export function createConfiguration(dependencies: ConfigurationDependencies) {
  const { db, log, parsing, directory, remote, limits } = dependencies;
  const followed: KnownFile[] = [];
  const revisions = createConfigurationRevisions(db);
  const files = createConfigurationFiles(directory, parsing, followed, limits);
  const repository = createRepository(directory, remote, log);
  return {
    files: {
      ...files,
      /** As {@link createConfigurationFiles} writes. */
      async write(path: string, content: string, asker: Asker): Promise<void> {
        await files.write(path, content, asker);
        repository.forgetStatus();
      },
      /** As {@link createConfigurationFiles} removes. */
      async remove(path: string): Promise<void> {
        await files.remove(path);
        repository.forgetStatus();
      },
    },
    repository,

    /**
     * What `read` makes of a file, kept in memory and made anew after each reload, in every process. From now on a
     * content that the file refuses is neither written nor reloaded.
     */
    follow<Content>(file: KnownFile, read: () => Promise<Content>): () => Promise<Content> {
      followed.push(file);
      return followConfiguration(revisions, read, log);
    },

    /**
     * Has every process read the configuration anew, if all of it is right.
     * @returns names of the files that were kept in memory
     * @throws invalid_configuration
     */
    async reload(): Promise<string[]> {
      await files.checkAll();
      await revisions.raise();
      return followed.map(({ name }) => name);
    },
  };
}
