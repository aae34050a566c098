import { readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { removeFile } from '../../kernel/files/remove-file.ts';
import { taskIdSchema } from '../../kernel/ids.ts';
import { inParallel } from '../../kernel/in-parallel.ts';
import type { Logger } from '../../kernel/log.ts';
import { executionDirectory } from '../executions/index.ts';
import {
  KEPT_RESULTS_FOLDER,
  type KeptResult,
  keptResultFile,
  type MeasuredPass,
  parseKeptResult,
} from './kept-result-model.ts';
import type { RunIdentity } from './run-model.ts';

/** Directories that are read or removed at the same time. */
const AT_ONCE = 16;

type Run = Pick<RunIdentity, 'project_id' | 'chip_id' | 'execution_id'>;

export type KeptResults = ReturnType<typeof createKeptResults>;

/** Results that workers have kept on the shared file system. Record keeping reads and removes them. */
export function createKeptResults(root: string, log: Pick<Logger, 'warn'>) {
  const rawDataOf = (run: Run) => join(executionDirectory(root, run), 'raw_data');
  const fileOf = (run: Run, measured: MeasuredPass) =>
    join(rawDataOf(run), measured.task_id, KEPT_RESULTS_FOLDER, keptResultFile(measured));

  /** The directories of a run's measurements. */
  async function directoriesOf(run: Run): Promise<string[]> {
    const entries = await readdir(rawDataOf(run), { withFileTypes: true }).catch(noneIfMissing);
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(rawDataOf(run), name));
  }

  return {
    /**
     * The result or the failure of a measurement that a worker kept. Null when nothing was kept or the file is damaged.
     * @throws Error when the disk currently cannot be read
     */
    async read(
      run: Run,
      measured: MeasuredPass,
    ): Promise<Pick<KeptResult, 'attempt' | 'result' | 'failure'> | null> {
      let content: string;
      try {
        content = await readFile(fileOf(run, measured), 'utf8');
      } catch (thrown) {
        if (codeOf(thrown) === 'ENOENT') return null;
        throw unreadable(thrown);
      }
      const kept = parseKeptResult(content);
      if (kept) return { attempt: kept.attempt, result: kept.result, failure: kept.failure };
      const { task_id, pass } = measured;
      log.warn({ execution_id: run.execution_id, task_id, pass }, 'a kept result cannot be read');
      return null;
    },

    /** The measurements of a run whose results are kept. @throws Error when the disk currently cannot be read */
    async list(run: Run): Promise<MeasuredPass[]> {
      const names: string[] = [];
      await inParallel(AT_ONCE, await directoriesOf(run), async (directory) => {
        names.push(...(await readdir(join(directory, KEPT_RESULTS_FOLDER)).catch(noneIfMissing)));
      });
      return names.sort().flatMap((name) => {
        const [, task_id, pass] = /^([^_]+)_(\d+)\.json$/.exec(name) ?? [];
        return task_id === undefined ? [] : [{ task_id: taskIdSchema.parse(task_id), pass: Number(pass) }];
      });
    },

    /** Removes the result of a measurement that is recorded. */
    async drop(run: Run, measured: MeasuredPass): Promise<void> {
      await removeFile(fileOf(run, measured));
    },

    /** Removes all results that an ended run may have left, and the directories of measurements without files. */
    async dropAll(run: Run): Promise<void> {
      await inParallel(AT_ONCE, await directoriesOf(run), async (directory) => {
        await rm(join(directory, KEPT_RESULTS_FOLDER), { recursive: true, force: true });
        // A directory with files stays.
        await rmdir(directory).catch(() => undefined);
      });
    },
  };
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : 'unknown';
}

function noneIfMissing(thrown: unknown): never[] {
  if (codeOf(thrown) === 'ENOENT') return [];
  throw unreadable(thrown);
}

/** Hides the system's own message: it names a directory of the machine and would reach clients that read the run. */
function unreadable(thrown: unknown): Error {
  return new Error(`A kept result cannot be read: ${codeOf(thrown)}.`);
}
