import { Piscina } from 'piscina';
import type { AnalysisInput, Estimate } from '../../shared/analysis/model.ts';
import type { Figure } from '../../shared/figures/model.ts';

/** A figure as it is stored: the Plotly JSON and the PNG drawn from it. */
export interface DrawnFigure {
  json: string;
  png: Uint8Array;
  role?: 'raw' | 'marked';
}

/** An {@link Analysis} whose figures are drawn. */
export interface AnalysedAndDrawn {
  outputs: Record<string, Estimate>;
  r2: number | null;
  refused?: string;
  figures: DrawnFigure[];
}

/** What a thread is given: data to analyse, or finished figures to draw. */
export type Job = { kind: 'analyse'; input: AnalysisInput } | { kind: 'draw'; figures: readonly Figure[] };

export interface AnalysisPoolOptions {
  /** Threads at most. Default 2: fits and drawings are short, and every thread holds about 60 MB. */
  threads?: number;
  /** A thread that had nothing to do for so long ends, except the last. Default 60 s; starting one takes 1 to 3 s. */
  idleTimeoutMs?: number;
}

export interface AnalysisPool {
  /** Fits one target's data and draws the figures. Rejects only when the analysis itself is broken. */
  analyseAndDraw(input: AnalysisInput): Promise<AnalysedAndDrawn>;
  /** Draws figures that a backend delivered. */
  drawFigures(figures: readonly Figure[]): Promise<DrawnFigure[]>;
  /** Ends all threads; work under way is rejected. */
  destroy(): Promise<void>;
}

/** The pool was ended while the work was under way: the worker is stopping, another one will do it. */
export class AnalysisStopped extends Error {}

/**
 * Threads for fits and drawings. They take tens of milliseconds, in which an event loop that did them itself would
 * miss heartbeats.
 */
export function createAnalysisPool({
  threads = 2,
  idleTimeoutMs = 60_000,
}: AnalysisPoolOptions = {}): AnalysisPool {
  const pool = new Piscina<Job, AnalysedAndDrawn>({
    filename: new URL('./worker.ts', import.meta.url).href,
    minThreads: 1,
    maxThreads: threads,
    idleTimeout: idleTimeoutMs,
    // Drawing makes much garbage. Left to its defaults V8 lets both threads grow to 500 MB before it cares; with these
    // limits they stay under 400 MB for 5 % more time.
    resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 },
    // Stated rather than inherited: the process that uses the pool may itself have been started in another way.
    execArgv: ['--import', import.meta.resolve('tsx')],
  });
  let ended = false;
  async function run(job: Job): Promise<AnalysedAndDrawn> {
    try {
      return await pool.run(job);
    } catch (thrown) {
      throw ended ? new AnalysisStopped('the analysis threads are ended') : thrown;
    }
  }
  return {
    analyseAndDraw: (input) => run({ kind: 'analyse', input }),
    drawFigures: async (figures) => (await run({ kind: 'draw', figures })).figures,
    destroy: () => {
      ended = true;
      return pool.destroy();
    },
  };
}
