import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import { createFairQueue, type Share } from '../../shared/kernel/fair-queue.ts';
import { compiledModule } from '../../shared/kernel/package-root.ts';
import type { Estimate } from '../../shared/science/fitting/estimate.ts';
import type { AnalysisInput } from '../../shared/tasks/common/analysis/model.ts';
import type { NextPassSettings } from '../../shared/tasks/next-pass.ts';

/** A figure as Plotly JSON, from which the picture is drawn later. */
export interface StoredFigure {
  json: string;
  role?: 'raw' | 'marked';
  /** What is missing in the picture of a backend's figure, as the end of a sentence. */
  note?: string;
}

/** An {@link Analysis} with its figures as Plotly JSON. */
export interface Analysed {
  /** Why the data file cannot be read; there are then no results. */
  unreadable?: string;
  outputs: Record<string, Estimate>;
  r2: number | null;
  r2Threshold?: number;
  refused?: string;
  again?: NextPassSettings;
  suggestion?: NextPassSettings;
  figures: StoredFigure[];
}

/** Input of an analysis besides the data. */
export type AskedAnalysis = Omit<AnalysisInput, 'dataset'>;

/** Job of a thread: data to analyse, a data file to analyse, or figures of a backend to describe. */
export type Job =
  | { kind: 'analyse'; input: AnalysisInput }
  | { kind: 'analyse stored'; input: AskedAnalysis; file: string }
  | { kind: 'describe'; figures: readonly unknown[] };

export interface AnalysisPoolOptions {
  /** Maximum number of threads; each uses up to 150 MB. Default: {@link analysisThreads} of this machine. */
  threads?: number;
  /** Idle milliseconds after which a thread ends, except the last one. Default 60 s; starting a thread takes 1 to 3 s. */
  idleTimeoutMs?: number;
}

export interface AnalysisPool {
  /** Fits one target's data and describes the figures. Rejects only if the analysis itself is broken. */
  analyse(input: AnalysisInput, share?: Share): Promise<Analysed>;
  /**
   * The same for the data of a file, with links resolved. The thread reads the file when the job starts, so that
   * waiting data need no memory and are not copied between threads.
   */
  analyseFile(file: string, input: AskedAnalysis, share?: Share): Promise<Analysed>;
  /** Describes figures that a backend delivered. An invalid figure gets a placeholder and a note. */
  describeFigures(figures: readonly unknown[], share?: Share): Promise<StoredFigure[]>;
  /** Ends all threads; running jobs are rejected. */
  destroy(): Promise<void>;
}

/** Share for work that belongs to no user. */
const COMMON: Share = { user: '' };

/** The pool was destroyed during the work: the worker is stopping, and another one will do it. */
export class AnalysisStopped extends Error {}

/** Maximum default number of threads. */
const MAX_THREADS = 4;

/**
 * Default number of threads for a machine with this many cores: all of them. The event loop needs only a quarter of a core
 * besides, and waits no longer than the system's time slices. Memory limits the number.
 */
export function analysisThreads(cores: number): number {
  return Math.min(cores, MAX_THREADS);
}

/**
 * Threads for fits, shared by users. A fit takes tens of milliseconds and would delay heartbeats if it ran in the event
 * loop.
 */
export function createAnalysisPool({
  threads = analysisThreads(availableParallelism()),
  idleTimeoutMs = 60_000,
}: AnalysisPoolOptions = {}): AnalysisPool {
  const pool = new Piscina<Job, Analysed>({
    filename: compiledModule('activities/analysis/worker.ts').href,
    minThreads: 1,
    maxThreads: threads,
    idleTimeout: idleTimeoutMs,
    // Fits create much short-lived garbage. With 6 MB in place of 24, collecting it took a fifth of the processor time of the
    // fits. The old generation has no limit, because V8 collects it far more often if there is one.
    resourceLimits: { maxYoungGenerationSizeMb: 24 },
    // Threads must not inherit command-line options of the process, such as a test runner's hooks.
    execArgv: [],
  });
  /** Jobs wait here and not in the pool, because the pool does not distinguish users. */
  const queue = createFairQueue({ atOnce: threads, atOncePerUserShared: Math.max(1, threads - 1) });
  let ended = false;

  async function run(job: Job, share: Share = COMMON): Promise<Analysed> {
    try {
      return await queue.run(share, () => {
        if (ended) throw new AnalysisStopped('the analysis threads are ended');
        return pool.run(job);
      });
    } catch (thrown) {
      throw ended ? new AnalysisStopped('the analysis threads are ended') : thrown;
    }
  }

  return {
    analyse: (input, share) => run({ kind: 'analyse', input }, share),
    analyseFile: (file, input, share) => run({ kind: 'analyse stored', input, file }, share),
    describeFigures: async (figures, share) =>
      figures.length === 0 ? [] : (await run({ kind: 'describe', figures }, share)).figures,
    destroy: () => {
      ended = true;
      return pool.destroy();
    },
  };
}
