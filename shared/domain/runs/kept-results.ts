import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { removeFile } from '../../kernel/files/remove-file.ts';
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

type Run = Pick<RunIdentity, 'project_id' | 'chip_id' | 'execution_id'>;

export type KeptResults = ReturnType<typeof createKeptResults>;

/** The results of a run that workers have kept on the shared file system, as record keeping reads and removes them. */
export function createKeptResults(root: string, log: Pick<Logger, 'warn'>) {
  const directoryOf = (run: Run) => join(executionDirectory(root, run), 'raw_data', KEPT_RESULTS_FOLDER);
  const fileOf = (run: Run, measured: MeasuredPass) => join(directoryOf(run), keptResultFile(measured));

  return {
    /**
     * What a worker kept of a measurement: its answer, or its failure. Null when nothing was kept or the file is damaged.
     * @throws Error when the disk cannot be read at the moment
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

    /** The measurements of a run whose results are kept. @throws Error when the disk cannot be read at the moment */
    async list(run: Run): Promise<MeasuredPass[]> {
      const names = await readdir(directoryOf(run)).catch((thrown: unknown) => {
        if (codeOf(thrown) === 'ENOENT') return [];
        throw unreadable(thrown);
      });
      return names.flatMap((name) => {
        const [, task_id, pass] = /^([^_]+)_(\d+)\.json$/.exec(name) ?? [];
        return task_id === undefined ? [] : [{ task_id, pass: Number(pass) }];
      });
    },

    /** Removes the result of a measurement that is recorded. */
    async drop(run: Run, measured: MeasuredPass): Promise<void> {
      await removeFile(fileOf(run, measured));
    },

    /** Removes what a run that has ended may have left. */
    async dropAll(run: Run): Promise<void> {
      await rm(directoryOf(run), { recursive: true, force: true });
    },
  };
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : 'unknown';
}

/** The system's own message names a directory of the machine and would travel to clients that read the run. */
function unreadable(thrown: unknown): Error {
  return new Error(`A kept result cannot be read: ${codeOf(thrown)}.`);
}
