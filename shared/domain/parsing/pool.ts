import { CalibronError } from '../../kernel/errors.ts';
import { QueueFull } from '../../kernel/fair-queue.ts';
import { createLimitedThreads, JobOverLimit } from '../../kernel/limited-threads.ts';
import { compiledModule } from '../../kernel/package-root.ts';
import type { PlottedDevice } from '../../science/figures/device-plot.ts';
import type { ArtifactPreview } from '../../science/previews/model.ts';

/** Kinds of configuration files. */
export type TextKind = 'yaml' | 'json';

/** Job sent to a thread. The file descriptor belongs to the whole process; the caller keeps it open and closes it. */
export type ParsingJob =
  | { kind: 'preview'; descriptor: number; size: number; filename: string }
  | { kind: 'figure'; theme: 'light' | 'dark'; descriptor: number; size: number }
  | { kind: 'device'; device: PlottedDevice }
  | { kind: 'syntax'; text: string; textKind: TextKind };

/** A preview or a drawn figure, or the reason why there is none; for a text its problem, or null if it is valid. */
export type ParsingAnswer = { preview: ArtifactPreview } | { png: Uint8Array } | { problem: string | null };

/** The user or visitor who requests a job. */
export interface Asker {
  /** visitor: a request without a token, identified by its address. */
  kind: 'user' | 'visitor';
  id: string;
}

export interface ParsingPoolOptions {
  /** Milliseconds of processor time for one job. Default 10 s: the largest accepted files need a tenth of it. */
  processorMs?: number;
  /** Default 2. */
  threads?: number;
  /** Maximum number of jobs that wait for a thread; more are refused. Default 100. */
  waiting?: number;
  /** Maximum number of waiting jobs of one asker; more are refused. Default 50. */
  perAsker?: number;
}

export interface ParsingPool {
  /** @throws too_many_requests */
  run(job: ParsingJob, asker: Asker): Promise<ParsingAnswer>;
  /** Stops all threads. */
  destroy(): Promise<void>;
}

/**
 * Threads that parse untrusted input. A text or a file that needs unlimited time or memory ends its thread, not the
 * process. Threads start on demand (which takes a second) and end after a minute without work.
 */
export function createParsingPool(options: ParsingPoolOptions = {}): ParsingPool {
  const { processorMs = 10_000, threads = 2, waiting: mayWait = 100, perAsker = 50 } = options;
  const pool = createLimitedThreads<ParsingJob, ParsingAnswer>(
    compiledModule('shared/domain/parsing/thread.ts'),
    { threads, waiting: mayWait, waitingPerUser: perAsker, processorMs, memoryMb: 256, idleMs: 60_000 },
  );

  return {
    async run(job, asker) {
      try {
        return await pool.run({ user: asker.id }, job);
      } catch (thrown) {
        if (thrown instanceof JobOverLimit) return { problem: 'reading it takes too much time or memory' };
        if (!(thrown instanceof QueueFull)) throw thrown;
        if (thrown.scope === 'all') {
          throw new CalibronError('too_many_requests', 'Too many files are being read; try again.', {
            retryAfter: 5,
          });
        }
        throw new CalibronError(
          'too_many_requests',
          `${perAsker} of your files wait to be read already; wait for one of them.`,
          { retryAfter: 1 },
        );
      }
    },
    destroy: () => pool.destroy(),
  };
}
