import { Piscina } from 'piscina';
import { CalibronError } from '../../kernel/errors.ts';
import { compiledModule } from '../../kernel/package-root.ts';
import type { ArtifactPreview } from '../../science/previews/model.ts';

/** Kinds of configuration files. */
export type TextKind = 'yaml' | 'json';

/** What a thread is given. The descriptor belongs to the whole process; the giver keeps it open and closes it. */
export type ParsingJob =
  | { kind: 'preview'; descriptor: number; size: number; filename: string }
  | { kind: 'syntax'; text: string; textKind: TextKind };

/** A preview, or why there is none; what is wrong with a text, null where nothing is. */
export type ParsingAnswer = { preview: ArtifactPreview } | { problem: string | null };

export interface ParsingPoolOptions {
  /**
   * Milliseconds for one job, its wait for a thread not counted. Default 10 s: the largest files that are taken need a
   * tenth of it.
   */
  slowestJobMs?: number;
}

export interface ParsingPool {
  run(job: ParsingJob): Promise<ParsingAnswer>;
  /** Ends all threads. */
  destroy(): Promise<void>;
}

const THREADS = 2;
/** Jobs that wait for a thread; more are refused. */
const MAX_QUEUE_LENGTH = 100;

/**
 * Threads that parse what strangers wrote: a text or a file that needs endless time or memory ends its thread, not
 * the process. Threads start when they are needed (a second) and end after a minute without work.
 */
export function createParsingPool({ slowestJobMs = 10_000 }: ParsingPoolOptions = {}): ParsingPool {
  const pool = new Piscina<ParsingJob, ParsingAnswer>({
    filename: compiledModule('shared/domain/parsing/thread.ts').href,
    minThreads: 0,
    maxThreads: THREADS,
    idleTimeout: 60_000,
    resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 },
    // What the process was started with (a test runner's hooks) is not the thread's business.
    execArgv: [],
  });
  // Without a listener a thread that dies between two jobs would end the process; the next job gets a new thread.
  pool.on('error', () => {});
  let free = THREADS;
  const waiting: (() => void)[] = [];

  /** Waits for a thread here and not in the pool, whose clock for a job would run meanwhile. */
  async function takeThread(): Promise<void> {
    if (free > 0) {
      free -= 1;
      return;
    }
    if (waiting.length >= MAX_QUEUE_LENGTH) {
      throw new CalibronError('too_many_requests', 'Too many files are being read; try again.', {
        retryAfter: 5,
      });
    }
    await new Promise<void>((turn) => waiting.push(turn));
  }

  function giveThread(): void {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  }

  return {
    async run(job) {
      await takeThread();
      try {
        return await pool.run(job, { signal: AbortSignal.timeout(slowestJobMs) });
      } catch (thrown) {
        if (isOverLimit(thrown)) return { problem: 'reading it takes too much time or memory' };
        throw thrown;
      } finally {
        giveThread();
      }
    },
    destroy: () => pool.destroy(),
  };
}

function isOverLimit(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  return thrown.name === 'AbortError' || ('code' in thrown && thrown.code === 'ERR_WORKER_OUT_OF_MEMORY');
}
