import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import { createFairQueue, type Share } from '../../shared/kernel/fair-queue.ts';
import { compiledModule } from '../../shared/kernel/package-root.ts';
import type { Estimate } from '../../shared/science/fitting/estimate.ts';
import type { AnalysisInput } from '../../shared/tasks/common/analysis/model.ts';
import type { Again } from '../../shared/tasks/measuring-again.ts';

/** A figure as it is described: its Plotly JSON, of which the picture is drawn later. */
export interface StoredFigure {
  json: string;
  role?: 'raw' | 'marked';
  /** What the picture of a backend's figure does not show: the end of a sentence. */
  note?: string;
}

/** An {@link Analysis} whose figures are described. */
export interface Analysed {
  /** Why the file of the data cannot be read; nothing is found then. */
  unreadable?: string;
  outputs: Record<string, Estimate>;
  r2: number | null;
  refused?: string;
  again?: Again;
  figures: StoredFigure[];
}

/** What an analysis is given beside the data. */
export type AskedAnalysis = Omit<AnalysisInput, 'dataset'>;

/** What a thread is given: data to analyse, or their file, or figures of a backend to describe. */
export type Job =
  | { kind: 'analyse'; input: AnalysisInput }
  | { kind: 'analyse stored'; input: AskedAnalysis; file: string }
  | { kind: 'describe'; figures: readonly unknown[] };

export interface AnalysisPoolOptions {
  /** Threads at most; each holds up to 150 MB. Default: {@link analysisThreads} of this machine. */
  threads?: number;
  /** A thread that had nothing to do for so long ends, except the last. Default 60 s; starting one takes 1 to 3 s. */
  idleTimeoutMs?: number;
}

export interface AnalysisPool {
  /** Fits one target's data and describes the figures. Rejects only when the analysis itself is broken. */
  analyse(input: AnalysisInput, share?: Share): Promise<Analysed>;
  /**
   * The same with the data of a NetCDF file, whose links are resolved. It is read when its turn has come: data that wait
   * take no memory, and are not copied from thread to thread.
   */
  analyseFile(file: string, input: AskedAnalysis, share?: Share): Promise<Analysed>;
  /** Describes figures that a backend delivered; one that is no figure gets a placeholder and a note. */
  describeFigures(figures: readonly unknown[], share?: Share): Promise<StoredFigure[]>;
  /** Ends all threads; work under way is rejected. */
  destroy(): Promise<void>;
}

/** Work that is done for no user in particular. */
const COMMON: Share = { user: '' };

/** The pool was ended while the work was under way: the worker is stopping, another one will do it. */
export class AnalysisStopped extends Error {}

/** Most threads without a setting. */
const MOST_THREADS = 4;

/**
 * Threads for a machine of so many cores: all, as the event loop takes a quarter of one beside them and waits no longer
 * than the system's turns; memory bounds them.
 */
export function analysisThreads(cores: number): number {
  return Math.min(cores, MOST_THREADS);
}

/**
 * Threads for fits, shared by the users whose runs need them. A fit takes tens of milliseconds, in which an event loop that did it
 * itself would miss heartbeats.
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
    // Fits make much short-lived garbage, which a small young generation frees early. The old generation has no limit:
    // with one, V8 collects it far more often.
    resourceLimits: { maxYoungGenerationSizeMb: 6 },
    // What the process was started with (a test runner's hooks) is not the thread's business.
    execArgv: [],
  });
  /** Jobs wait here and not in the pool, which knows no users. */
  const queue = createFairQueue({ atOnce: threads });
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
