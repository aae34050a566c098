import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { replaceFile } from '../../kernel/files/atomic-write.ts';
import { removeFile } from '../../kernel/files/remove-file.ts';
import type { Logger } from '../../kernel/log.ts';
import { executionDirectory } from '../executions/index.ts';
import type { RunIdentity } from './run-model.ts';

/** What an instrument said of one pass of a task: its answer, or the sentence why there is none. */
const keptAnswer = z.object({
  /** Which time it was asked. */
  attempt: z.number().int().positive(),
  result: z.unknown(),
  failure: z.string().nullable(),
});
export type KeptAnswer = z.infer<typeof keptAnswer>;

/** A measurement: a task, and how often it has measured again with other settings. */
export interface MeasuredPass {
  task_id: string;
  /** 1 at first. */
  pass: number;
}

type Run = Pick<RunIdentity, 'project_id' | 'chip_id' | 'execution_id'>;

export type KeptAnswers = ReturnType<typeof createKeptAnswers>;

/**
 * Answers of instruments that are not recorded yet, one file each beside the run's other files. One that is kept is on
 * the disk and outlasts a power cut, so that its measurement is never made again.
 */
export function createKeptAnswers(root: string, log: Pick<Logger, 'warn'>) {
  const made = new Map<string, Promise<unknown>>();
  const directoryOf = (run: Run) => join(executionDirectory(root, run), 'answers');
  const fileOf = (run: Run, { task_id, pass }: MeasuredPass) =>
    join(directoryOf(run), `${task_id}_${pass}.json`);

  /** Makes a directory; of the last ones it knows that they are there. */
  function directory(path: string): Promise<unknown> {
    const known = made.get(path);
    if (known) return known;
    const making = mkdir(path, { recursive: true });
    making.catch(() => made.delete(path));
    if (made.size >= DIRECTORIES) made.clear();
    made.set(path, making);
    return making;
  }

  return {
    async keep(run: Run, measured: MeasuredPass, answer: KeptAnswer): Promise<void> {
      await directory(directoryOf(run));
      await replaceFile(fileOf(run, measured), JSON.stringify(answer), { durable: true });
    },

    /**
     * Null when none was kept, when its measurement is recorded, or when the file holds no answer.
     * @throws Error when the disk cannot be read just now
     */
    async read(run: Run, measured: MeasuredPass): Promise<KeptAnswer | null> {
      let content: string;
      try {
        content = await readFile(fileOf(run, measured), 'utf8');
      } catch (thrown) {
        if (codeOf(thrown) === 'ENOENT') return null;
        throw unreadable(thrown);
      }
      const answer = answerIn(content);
      if (!answer) log.warn({ execution_id: run.execution_id, ...measured }, 'a kept answer is unreadable');
      return answer;
    },

    /** The measurements of a run whose answers are kept. */
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

    /** Once it is recorded. */
    async drop(run: Run, measured: MeasuredPass): Promise<void> {
      await removeFile(fileOf(run, measured));
    },

    /** What a run that has ended may have left. */
    async dropAll(run: Run): Promise<void> {
      const path = directoryOf(run);
      made.delete(path);
      await rm(path, { recursive: true, force: true });
    },
  };
}

function codeOf(thrown: unknown): string {
  return thrown instanceof Error && 'code' in thrown ? String(thrown.code) : 'unknown';
}

/** The system's own message names a directory of the machine, and would travel to whoever looks at the run. */
function unreadable(thrown: unknown): Error {
  return new Error(`A kept answer cannot be read: ${codeOf(thrown)}.`);
}

/** Null for what is damaged, or was written in another form. */
function answerIn(content: string): KeptAnswer | null {
  try {
    return keptAnswer.parse(JSON.parse(content));
  } catch {
    return null;
  }
}

/** Directories that are remembered. */
const DIRECTORIES = 1000;
