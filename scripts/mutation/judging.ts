import type { Instrumenter } from '@stryker-mutator/instrumenter';
import type { ResultsOfFile } from './results.ts';

/** A small change of the code. */
export type Mutant = Awaited<ReturnType<Instrumenter['instrument']>>['mutants'][number];

export interface Score {
  path: string;
  killed: number;
  survived: number;
  notReached: number;
  /** Percentage of killed mutants; null if the file has none. */
  score: number | null;
}

export interface Judgement {
  scores: readonly Score[];
  survivors: readonly (Mutant & { isReached: boolean })[];
  unstable: readonly string[];
}

/**
 * Sums up what the tests noticed. A mutant that only runs while its module is loaded counts for nothing: most of these are texts of
 * tables.
 */
export function judge(mutants: readonly Mutant[], results: readonly ResultsOfFile[]): Judgement {
  const killed = new Set(results.flatMap((each) => Object.keys(each.killed)));
  const survived = new Set(results.flatMap((each) => each.survived));
  const loaded = new Set(results.flatMap((each) => each.loaded));
  const counted = mutants.filter(({ id }) => killed.has(id) || survived.has(id) || !loaded.has(id));
  const survivors = counted
    .filter(({ id }) => !killed.has(id))
    .map((mutant) => ({ ...mutant, isReached: survived.has(mutant.id) }));
  const paths = [...new Set(mutants.map(({ fileName }) => fileName))];
  const scores = paths.map((path): Score => {
    const all = counted.filter(({ fileName }) => fileName === path).length;
    const left = survivors.filter(({ fileName }) => fileName === path);
    const notReached = left.filter(({ isReached }) => !isReached).length;
    return {
      path,
      killed: all - left.length,
      survived: left.length - notReached,
      notReached,
      score: all === 0 ? null : (100 * (all - left.length)) / all,
    };
  });
  const unstable = results.flatMap(({ file, unstable }) => unstable.map((name) => `${file}: ${name}`));
  return { scores, survivors, unstable };
}

/** The scores, lowest first. */
export function createTable(scores: readonly Score[]): string {
  const sorted = scores.toSorted((one, other) => (one.score ?? 100) - (other.score ?? 100));
  const lines = sorted.map(({ path, score, killed, survived, notReached }) => {
    const percent = score === null ? '-' : score.toFixed(1);
    return `| ${path} | ${percent} | ${killed} | ${survived} | ${notReached} |`;
  });
  return ['| file | score | killed | survived | not reached |', '|---|---|---|---|---|', ...lines].join('\n');
}
