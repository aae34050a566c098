import type { Figure } from './figure.ts';

/** Questions of each kind, in full and in small. */
const QUESTIONS = 200;
const FEW_QUESTIONS = 10;

/** Something that clients ask, over the operations that answer it. */
export interface Read {
  name: string;
  budget?: string;
  ask(question: number): Promise<unknown>;
}

/** The middle and the slow end of each read, asked one after the other, after a first one that does not count. */
export async function timeReads(reads: readonly Read[], small: boolean): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const { name, budget, ask } of reads) {
    await ask(0);
    const times: number[] = [];
    for (let question = 0; question < (small ? FEW_QUESTIONS : QUESTIONS); question += 1) {
      const asked = performance.now();
      await ask(question);
      times.push(performance.now() - asked);
    }
    times.sort((a, b) => a - b);
    const at = (part: number) => (times[Math.floor(part * (times.length - 1))] ?? 0).toFixed(1);
    const figure = {
      name: `${name}: p50, p95`,
      value: `${at(0.5)}, ${at(0.95)} ms`,
      ...(budget && { budget }),
    };
    // A full run takes minutes: whoever waits sees how far it is.
    if (!small) console.error(`${figure.name} ${figure.value}`);
    figures.push(figure);
  }
  return figures;
}
