import { stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import { createFairQueue, type Share } from '../../shared/kernel/fair-queue.ts';
import { isUnreplaced, replaceFile } from '../../shared/kernel/files/atomic-write.ts';
import { compiledModule } from '../../shared/kernel/package-root.ts';
import type { Estimate } from '../../shared/science/fitting/estimate.ts';
import type { AnalysisInput } from '../../shared/tasks/common/analysis/model.ts';
import type { Again } from '../../shared/tasks/measuring-again.ts';

/** A figure as it is stored: the Plotly JSON and the PNG of it, null where that is drawn later. */
export interface StoredFigure {
  json: string;
  png: Uint8Array | null;
  role?: 'raw' | 'marked';
  /** What happened to a figure of a backend that is not drawn as it was given: the end of a sentence. */
  note?: string;
}

/** Files of a figure. */
export interface FigureFiles {
  json: string;
  png: string;
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

/** What a thread is given: data to analyse, or their file, figures to draw, or the file of a description to draw. */
export type Job =
  | { kind: 'analyse'; input: AnalysisInput }
  | { kind: 'analyse stored'; input: AskedAnalysis; file: string }
  | { kind: 'draw'; figures: readonly unknown[] }
  | { kind: 'draw stored'; json: string };

export interface AnalysisPoolOptions {
  /** Threads at most; each holds up to 150 MB. Default: {@link analysisThreads} of this machine. */
  threads?: number;
  /** A thread that had nothing to do for so long ends, except the last. Default 60 s; starting one takes 1 to 3 s. */
  idleTimeoutMs?: number;
  /** For so long the drawing of a file gives way; after that it waits in line with the other work. Default 1 s. */
  givesWayMs?: number;
}

export interface AnalysisPool {
  /** Fits one target's data and describes the figures. Rejects only when the analysis itself is broken. */
  analyse(input: AnalysisInput, share?: Share): Promise<Analysed>;
  /**
   * The same with the data of a NetCDF file, whose links are resolved. It is read when its turn has come: data that wait
   * take no memory, and are not copied from thread to thread.
   */
  analyseFile(file: string, input: AskedAnalysis, share?: Share): Promise<Analysed>;
  /** Draws figures that a backend delivered; what cannot be drawn gets a placeholder and a note. */
  drawFigures(figures: readonly unknown[], share?: Share): Promise<StoredFigure[]>;
  /**
   * Draws a stored description into its file, unless it is described anew meanwhile. Gives way to all other work, for
   * a time.
   */
  drawFile(files: FigureFiles): Promise<void>;
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
 * Threads for fits and drawings, shared by the users whose runs ask for them. They take tens of milliseconds, in which an event loop that did them itself would
 * miss heartbeats.
 */
export function createAnalysisPool({
  threads = analysisThreads(availableParallelism()),
  idleTimeoutMs = 60_000,
  givesWayMs = 1000,
}: AnalysisPoolOptions = {}): AnalysisPool {
  const pool = new Piscina<Job, Analysed>({
    filename: compiledModule('activities/analysis/worker.ts').href,
    minThreads: 1,
    maxThreads: threads,
    idleTimeout: idleTimeoutMs,
    // The pixels of a picture are garbage of 2 to 3 MB, freed only when the young generation is collected: a small one
    // holds a third as many of them, at no cost. The old generation has no limit: with one of up to 1 GB V8 collects
    // it 15 times as often, and a figure takes half as long again.
    resourceLimits: { maxYoungGenerationSizeMb: 6 },
    // What the process was started with (a test runner's hooks) is not the thread's business.
    execArgv: [],
  });
  /** Jobs wait here and not in the pool, which knows no users. */
  const queue = createFairQueue({ atOnce: threads });
  let ended = false;
  /** Jobs that the threads have or that wait for one. */
  let underWay = 0;
  /** Drawings that give way, the oldest first. */
  const givingWay: { since: number; begin: () => void }[] = [];

  function beginDrawing(): void {
    underWay += 1;
    givingWay.shift()?.begin();
  }

  function beginDrawings(): void {
    while (givingWay.length > 0 && (ended || underWay < threads)) beginDrawing();
  }

  /** Of the drawings that have given way for long enough, one job's end lets one wait in line. */
  function endJob(): void {
    underWay -= 1;
    const [first] = givingWay;
    if (first && performance.now() - first.since > givesWayMs) beginDrawing();
    beginDrawings();
  }

  /** Runs a job that counts as under way. */
  async function runCounted(job: Job, share: Share): Promise<Analysed> {
    try {
      return await queue.run(share, () => {
        if (ended) throw new AnalysisStopped('the analysis threads are ended');
        return pool.run(job);
      });
    } catch (thrown) {
      throw ended ? new AnalysisStopped('the analysis threads are ended') : thrown;
    } finally {
      endJob();
    }
  }

  function run(job: Job, share: Share = COMMON): Promise<Analysed> {
    underWay += 1;
    return runCounted(job, share);
  }

  return {
    analyse: (input, share) => run({ kind: 'analyse', input }, share),
    analyseFile: (file, input, share) => run({ kind: 'analyse stored', input, file }, share),
    drawFigures: async (figures, share) =>
      figures.length === 0 ? [] : (await run({ kind: 'draw', figures }, share)).figures,
    async drawFile({ json, png }) {
      const described = stat(json).catch(() => null);
      const begun = new Promise<void>((begin) => givingWay.push({ since: performance.now(), begin }));
      beginDrawings();
      await begun;
      const [drawn] = (await runCounted({ kind: 'draw stored', json }, COMMON)).figures;
      const state = await described;
      // Written here: a thread that is ended while it writes would leave a part of a file.
      if (drawn?.png && state) await replaceFile(png, drawn.png, { holds: () => isUnreplaced(json, state) });
    },
    destroy: () => {
      ended = true;
      beginDrawings();
      return pool.destroy();
    },
  };
}
