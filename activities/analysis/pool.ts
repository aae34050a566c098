import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import { compiledModule } from '../../shared/kernel/package-root.ts';
import type { Figure } from '../../shared/science/figures/model.ts';
import type { Estimate } from '../../shared/science/fitting/estimate.ts';
import type { AnalysisInput } from '../../shared/tasks/common/analysis/model.ts';
import type { Again } from '../../shared/tasks/measuring-again.ts';

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
  again?: Again;
  figures: DrawnFigure[];
}

/** What a thread is given: data to analyse, or finished figures to draw. */
export type Job = { kind: 'analyse'; input: AnalysisInput } | { kind: 'draw'; figures: readonly Figure[] };

export interface AnalysisPoolOptions {
  /** Threads at most; each holds up to 150 MB. Default: {@link analysisThreads} of this machine. */
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

/** Most threads without a setting. */
const MOST_THREADS = 4;

/** Threads for a machine of so many cores: one core is for the event loop, and memory bounds the rest. */
export function analysisThreads(cores: number): number {
  return Math.min(Math.max(1, cores - 1), MOST_THREADS);
}

/**
 * Threads for fits and drawings. They take tens of milliseconds, in which an event loop that did them itself would
 * miss heartbeats.
 */
export function createAnalysisPool({
  threads = analysisThreads(availableParallelism()),
  idleTimeoutMs = 60_000,
}: AnalysisPoolOptions = {}): AnalysisPool {
  const pool = new Piscina<Job, AnalysedAndDrawn>({
    filename: compiledModule('activities/analysis/worker.ts').href,
    minThreads: 1,
    maxThreads: threads,
    idleTimeout: idleTimeoutMs,
    // Drawing makes much garbage that dies young. The old generation has no limit: with one of up to 1 GB V8 collects
    // it 15 times as often, and a figure takes half as long again.
    resourceLimits: { maxYoungGenerationSizeMb: 16 },
    // What the process was started with (a test runner's hooks) is not the thread's business.
    execArgv: [],
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
