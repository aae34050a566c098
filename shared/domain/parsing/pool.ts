import { CalibronError } from '../../kernel/errors.ts';
import { createLimitedThreads, JobOverLimit } from '../../kernel/limited-threads.ts';
import { compiledModule } from '../../kernel/package-root.ts';
import type { ArtifactPreview } from '../../science/previews/model.ts';

/** Kinds of configuration files. */
export type TextKind = 'yaml' | 'json';

/** What a thread is given. The descriptor belongs to the whole process; the giver keeps it open and closes it. */
export type ParsingJob =
  | { kind: 'preview'; descriptor: number; size: number; filename: string }
  | { kind: 'figure'; theme: 'light' | 'dark'; descriptor: number; size: number }
  | { kind: 'syntax'; text: string; textKind: TextKind };

/** A preview or a drawn figure, or why there is none; what is wrong with a text, null where nothing is. */
export type ParsingAnswer = { preview: ArtifactPreview } | { png: Uint8Array } | { problem: string | null };

/** Who has something parsed. */
export interface Asker {
  /** visitor: without a token, told by the address. */
  kind: 'user' | 'visitor';
  id: string;
}

export interface ParsingPoolOptions {
  /** Milliseconds of processor time for one job. Default 10 s: the largest files that are taken need a tenth of it. */
  processorMs?: number;
  /** Default 2. */
  threads?: number;
  /** Jobs that wait for a thread; more are refused. Default 100. */
  waiting?: number;
  /** Jobs that one asker may have under way or waiting. Default 50. */
  perAsker?: number;
}

export interface ParsingPool {
  /** @throws too_many_requests */
  run(job: ParsingJob, asker: Asker): Promise<ParsingAnswer>;
  /** Ends all threads. */
  destroy(): Promise<void>;
}

/**
 * Threads that parse what strangers wrote: a text or a file that needs endless time or memory ends its thread, not
 * the process. Threads start when they are needed (a second) and end after a minute without work.
 */
export function createParsingPool(options: ParsingPoolOptions = {}): ParsingPool {
  const { processorMs = 10_000, threads = 2, waiting: mayWait = 100, perAsker = 50 } = options;
  const pool = createLimitedThreads<ParsingJob, ParsingAnswer>(
    compiledModule('shared/domain/parsing/thread.ts'),
    { threads, waiting: 0, processorMs, memoryMb: 256, idleMs: 60_000 },
  );
  let free = threads;
  /** Whose turn is next, first. */
  const waiting = new Map<string, (() => void)[]>();
  let waitingJobs = 0;

  const asked = new Map<string, number>();

  /** Counts a job of an asker. */
  function begin({ id }: Asker): void {
    const mine = asked.get(id) ?? 0;
    if (mine >= perAsker) {
      throw new CalibronError(
        'too_many_requests',
        `${mine} of your files are being read already; wait for one of them.`,
        { retryAfter: 1 },
      );
    }
    asked.set(id, mine + 1);
  }

  function end({ id }: Asker): void {
    const left = (asked.get(id) ?? 1) - 1;
    if (left > 0) asked.set(id, left);
    else asked.delete(id);
  }

  /** Waits for a thread here and not in the pool, which knows no askers. */
  async function takeThread({ id }: Asker): Promise<void> {
    if (free > 0) {
      free -= 1;
      return;
    }
    if (waitingJobs >= mayWait) {
      throw new CalibronError('too_many_requests', 'Too many files are being read; try again.', {
        retryAfter: 5,
      });
    }
    waitingJobs += 1;
    await new Promise<void>((turn) => waiting.set(id, [...(waiting.get(id) ?? []), turn]));
  }

  /** Askers take turns: who wants much waits longest. */
  function giveThread(): void {
    const [next] = waiting;
    if (!next) {
      free += 1;
      return;
    }
    const [id, [turn, ...later]] = next;
    waiting.delete(id);
    if (later.length > 0) waiting.set(id, later);
    waitingJobs -= 1;
    turn?.();
  }

  return {
    async run(job, asker) {
      begin(asker);
      try {
        await takeThread(asker);
        try {
          return await pool.run(job);
        } finally {
          giveThread();
        }
      } catch (thrown) {
        if (thrown instanceof JobOverLimit) return { problem: 'reading it takes too much time or memory' };
        throw thrown;
      } finally {
        end(asker);
      }
    },
    destroy: () => pool.destroy(),
  };
}
