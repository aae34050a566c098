import { setMaxListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { sequence } from '../../../support/failure-checks.ts';
import type { KillTarget } from './kill-targets.ts';

/** What is killed how often. */
export interface KillPlan {
  targets: readonly KillTarget[];
  /** Holds the targets that are away. */
  away: Set<KillTarget>;
  seed: number;
  /** Milliseconds at most that a target is left alone after it came back. */
  peace: number;
  /** So many are away together at most. */
  down: number;
}

/**
 * Kills targets at random, each at its own times: a seed gives each target the same pauses and absences in each soak.
 * @returns what kills so many more of them, none after the time `until`, and brings all back
 */
export function randomKills({ targets, away, seed, peace, down }: KillPlan) {
  const chances = targets.map((_, index) => sequence(seed * targets.length + index));

  return async function kill(count: number, until: number, killed: (name: string) => unknown): Promise<void> {
    const ending = new AbortController();
    // Each target waits on it; more than ten look like a leak to Node.
    setMaxListeners(targets.length, ending.signal);
    const quiet = (ms: number) => wait(ms, null, { signal: ending.signal }).catch(() => null);
    let left = count;

    async function killInTurn(target: KillTarget, random: () => number): Promise<void> {
      while (!ending.signal.aborted) {
        const [pause, absence] = [random() * peace, random() * target.away];
        await quiet(pause);
        while (away.size >= down && !ending.signal.aborted) await quiet(100);
        if (ending.signal.aborted) return;
        left -= 1;
        away.add(target);
        if (left === 0 || Date.now() > until) ending.abort();
        await target.kill();
        await killed(target.name);
        await wait(absence);
        await target.comeBack();
        away.delete(target);
      }
    }
    await Promise.all(targets.map((target, index) => killInTurn(target, chances[index] ?? Math.random)));
  };
}
