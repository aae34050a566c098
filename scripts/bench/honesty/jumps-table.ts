import type { JumpTrial } from './jumps.ts';

const WIDTH = 60;

function row(name: string, trials: readonly JumpTrial[]): string {
  const [wrong, moved] = (['wrong', 'moved'] as const).map((which) =>
    trials.filter((trial) => trial.case === which),
  );
  const confirmedOnes = (wrong ?? []).filter(({ confirmed }) => confirmed);
  const furthest = Math.max(0, ...confirmedOnes.map(({ apart }) => apart));
  const refused = (moved ?? []).filter(({ confirmed }) => !confirmed);
  return [
    `  ${name}`.padEnd(WIDTH),
    ...[
      wrong?.length ?? 0,
      confirmedOnes.length,
      furthest.toFixed(0),
      moved?.length ?? 0,
      refused.length,
    ].map((cell) => String(cell).padStart(10)),
  ].join('');
}

/** Prints how often two wrong passes confirmed each other, and how often two right ones did not. */
export function printJumps(trials: readonly JumpTrial[]): void {
  const titles = ['wrong', 'accepted', 'errors', 'moved', 'refused'];
  console.log(
    `\n${'two passes of a jump; the largest accepted deviation, in errors'.padEnd(WIDTH)}${titles.map((title) => title.padStart(10)).join('')}`,
  );
  console.log(row('ALL', trials));
  for (const name of new Set(trials.map(({ kind, output }) => `${kind}: ${output}`))) {
    console.log(
      row(
        name,
        trials.filter(({ kind, output }) => `${kind}: ${output}` === name),
      ),
    );
  }
}
