import type { Figure } from './figure.ts';
import { processorTime } from './processor-time.ts';

/** Number of requests per read, in full and in small benchmarks. */
const QUESTIONS = 200;
const FEW_QUESTIONS = 10;

/** A read that clients make. */
export interface Read {
  name: string;
  budget?: string;
  ask(question: number): Promise<unknown>;
}

/** Options for timing reads. */
export interface Timing {
  small: boolean;
  /** Ids of the serving processes. Their processor time per request is reported with its duration. */
  pids?: readonly number[];
}

/** Median and slow times of each read. Requests run one after another; the first one is a warm-up. */
export async function timeReads(reads: readonly Read[], { small, pids = [] }: Timing): Promise<Figure[]> {
  const processorTimes = () => Promise.all(pids.map(processorTime));
  const figures: Figure[] = [];
  for (const { name, budget, ask } of reads) {
    await ask(0);
    const times: number[] = [];
    const count = small ? FEW_QUESTIONS : QUESTIONS;
    const before = await processorTimes();
    for (let question = 0; question < count; question += 1) {
      const requestedAt = performance.now();
      await ask(question);
      times.push(performance.now() - requestedAt);
    }
    const after = await processorTimes();
    times.sort((a, b) => a - b);
    const at = (part: number) => (times[Math.floor(part * (times.length - 1))] ?? 0).toFixed(1);
    const used = after.map((seconds, process) =>
      ((1000 * (seconds - (before[process] ?? 0))) / count).toFixed(1),
    );
    const figure = {
      name: `${name}: p50, p95`,
      value: `${at(0.5)}, ${at(0.95)} ms${used.length > 0 ? `; CPU ${used.join(' + ')}` : ''}`,
      ...(budget && { budget }),
    };
    // A full run takes minutes, so show its progress.
    if (!small) console.error(`${figure.name} ${figure.value}`);
    figures.push(figure);
  }
  return figures;
}
