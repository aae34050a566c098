import { cp, lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Db } from '../../kernel/database.ts';
import { keyOf, type ProjectId } from '../../kernel/ids.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Migration } from '../../kernel/migrations.ts';
import { CHIP_FILES, chipFolder, isSharedConfiguration } from './rules.ts';
import { configurationIndexes } from './store.ts';

/** Record of installations that moved the folders before migrations had a record of their own. */
interface EarlierRecord {
  _id: 'chip-folders';
  moved_at: Date;
}

interface StoredChip {
  _id: string;
  project_id: ProjectId;
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** Maximum number of attempts to copy, if another process creates the same folders at that moment. */
const COPIES = 5;

/** Copies what the other folder does not contain yet. Links are copied as links and never followed. */
async function copyMissing(from: string, to: string): Promise<void> {
  for (let copy = 1; ; copy += 1) {
    try {
      return await cp(from, to, {
        recursive: true,
        force: false,
        errorOnExist: false,
        verbatimSymlinks: true,
      });
    } catch (thrown) {
      const isThereNow = thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST';
      if (!isThereNow || copy === COPIES) throw thrown;
    }
  }
}

/**
 * Moves folders `<chip>` at the root of the configuration, which chips with the same name in several projects shared, to
 * `<project>/<chip>`. Each project with such a chip gets a copy, so that no project loses its files. Folders of unknown chips
 * stay where they are and are not read.
 */
export function createChipFolderMigration({
  db,
  log,
  directory,
}: {
  db: Db;
  log: Pick<Logger, 'info' | 'warn'>;
  directory: string;
}): Migration {
  /** Ids of the projects that have a chip with this id. */
  async function projectsOf(chipId: string): Promise<ProjectId[]> {
    const projects = await db
      .collection<{ _id: ProjectId }>('projects')
      .find({}, { projection: { _id: 1 } })
      .toArray();
    const ids = projects.map(({ _id }) => keyOf(_id, chipId));
    const found = await db
      .collection<StoredChip>('chips')
      .find({ _id: { $in: ids } })
      .sort({ _id: 1 })
      .toArray();
    return found.map(({ project_id }) => project_id);
  }

  /** Names of folders at the root that contain files of a chip. */
  async function formerFolders(): Promise<string[]> {
    const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
    const names = entries
      .filter(
        (entry) => entry.isDirectory() && !entry.name.startsWith('.') && !isSharedConfiguration(entry.name),
      )
      .map(({ name }) => name);
    const holding = await Promise.all(
      names.map(async (name) => {
        const found = await Promise.all(CHIP_FILES.map((file) => isThere(join(directory, name, file))));
        return found.includes(true);
      }),
    );
    return names.filter((_, position) => holding[position]);
  }

  async function move(chipId: string, projects: readonly ProjectId[]): Promise<void> {
    if (projects.length === 0) {
      log.warn({ folder: chipId }, 'a folder of the configuration belongs to no known chip and is not read');
      return;
    }
    const from = join(directory, chipId);
    for (const project_id of projects) {
      const to = join(directory, chipFolder({ project_id, chip_id: chipId }));
      await mkdir(join(directory, project_id), { recursive: true });
      await copyMissing(from, to);
    }
    await rm(from, { recursive: true, force: true });
    log.info({ folder: chipId, projects }, 'a folder of a chip was moved to its project');
  }

  return {
    name: 'chip-folders-of-projects',
    release: '1.0.0-alpha.1',
    phase: 'contract',
    completes: null,
    async run() {
      const earlier = db.collection<EarlierRecord>(configurationIndexes.collection);
      if (await earlier.findOne({ _id: 'chip-folders' })) return;
      for (const chipId of await formerFolders()) {
        try {
          await move(chipId, await projectsOf(chipId));
        } catch (thrown) {
          // Another process, which took the lock over, has moved it.
          if (await isThere(join(directory, chipId))) throw thrown;
        }
      }
    },
  };
}
