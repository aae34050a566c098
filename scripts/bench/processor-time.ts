import { execFileSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** Kinds of threads by the start of their names. The first match wins. */
const KINDS: readonly (readonly [RegExp, string])[] = [
  [/^C[12] Comp/, 'compiling'],
  [/^(G1|GC |VM Thread)/, 'collecting'],
  [/^(tokio|temporal-real|tonic)/, 'client of the engine'],
  [/^workflow/, 'workflows'],
];

/** Seconds of processor time by process, and by process and kind of thread, as `process: kind`. */
export type Used = Record<string, number>;

/** Seconds of processor time in a line of /proc. */
function secondsOf(stat: string): number {
  // The name in brackets may contain any character, so parse after the last bracket.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** Seconds of processor time used by a process, including all of its threads. */
export async function processorTime(pid: number): Promise<number> {
  return secondsOf(await readFile(`/proc/${pid}/stat`, 'utf8'));
}

/** Seconds of processor time used by the process's current threads, by kind. */
async function threadTimes(pid: number): Promise<Record<string, number>> {
  const times: Record<string, number> = {};
  for (const thread of await readdir(`/proc/${pid}/task`)) {
    const stat = await readFile(`/proc/${pid}/task/${thread}/stat`, 'utf8').catch(() => null);
    if (stat === null) continue;
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    const kind =
      Number(thread) === pid ? 'main' : (KINDS.find(([pattern]) => pattern.test(name))?.[1] ?? 'others');
    times[kind] = (times[kind] ?? 0) + secondsOf(stat);
  }
  return times;
}

/**
 * Seconds of processor time that each process, and each of its kinds of threads, used while `body` ran. A process with the
 * pid 0 was not started here, may be on another machine, and is left out.
 */
export async function processorTimes<Name extends string, T>(
  pids: Readonly<Record<Name, number>>,
  body: () => Promise<T>,
): Promise<{ result: T; used: Used; threads: Used }> {
  const read = async () => {
    const used: Used = {};
    const threads: Used = {};
    for (const [name, pid] of Object.entries<number>(pids)) {
      if (pid === 0) continue;
      used[name] = await processorTime(pid);
      for (const [kind, time] of Object.entries(await threadTimes(pid))) threads[`${name}: ${kind}`] = time;
    }
    return { used, threads };
  };
  const before = await read();
  const result = await body();
  const after = await read();
  return {
    result,
    used: differenceOf(before.used, after.used),
    threads: differenceOf(before.threads, after.threads),
  };
}

/** The differences between two sets of counts. */
export function differenceOf(
  before: Readonly<Record<string, number>>,
  after: Readonly<Record<string, number>>,
) {
  return Object.fromEntries(
    Object.entries(after).map(([name, value]) => [name, Math.max(0, value - (before[name] ?? 0))]),
  );
}
