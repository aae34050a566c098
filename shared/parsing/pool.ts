import { Piscina } from 'piscina';
import { CalibronError } from '../errors.ts';
import type { ArtifactPreview } from '../previews/model.ts';

/** Kinds of configuration files. */
export type TextKind = 'yaml' | 'json';

/** What a thread is given. The descriptor belongs to the whole process; the giver keeps it open and closes it. */
export type ParsingJob =
  | { kind: 'preview'; descriptor: number; size: number; filename: string }
  | { kind: 'syntax'; text: string; textKind: TextKind };

/** A preview, or why there is none; what is wrong with a text, null where nothing is. */
export type ParsingAnswer = { preview: ArtifactPreview } | { problem: string | null };

export interface ParsingPool {
  run(job: ParsingJob): Promise<ParsingAnswer>;
  /** Ends all threads. */
  destroy(): Promise<void>;
}

/** Milliseconds for one job; the largest files that are taken need a tenth of it. */
const slowestJob = 10_000;
/** Jobs that wait for a thread; more are refused. */
const longestQueue = 100;

/**
 * Threads that parse what strangers wrote: a text or a file that needs endless time or memory ends its thread, not
 * the process. Threads start when they are needed (a second) and end after a minute without work.
 */
export function createParsingPool(): ParsingPool {
  const pool = new Piscina<ParsingJob, ParsingAnswer>({
    filename: new URL('./thread-entry.mjs', import.meta.url).href,
    minThreads: 0,
    maxThreads: 2,
    idleTimeout: 60_000,
    maxQueue: longestQueue,
    resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 },
    // The thread brings its own loader, and does not need the one of the process.
    execArgv: [],
  });
  // Without a listener a thread that dies between two jobs would end the process; the next job gets a new thread.
  pool.on('error', () => {});
  return {
    async run(job) {
      if (pool.queueSize >= longestQueue) {
        throw new CalibronError('too_many_requests', 'Too many files are being read; try again.', {
          retryAfter: 5,
        });
      }
      try {
        return await pool.run(job, { signal: AbortSignal.timeout(slowestJob) });
      } catch (thrown) {
        if (isOverLimit(thrown)) return { problem: 'reading it takes too much time or memory' };
        throw thrown;
      }
    },
    destroy: () => pool.destroy(),
  };
}

function isOverLimit(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  return thrown.name === 'AbortError' || ('code' in thrown && thrown.code === 'ERR_WORKER_OUT_OF_MEMORY');
}
