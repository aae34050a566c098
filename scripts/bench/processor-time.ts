import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** Seconds of processor time that a process has used with all of its threads. */
export async function processorTime(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name before the last bracket may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** Seconds of processor time that each of some processes used while `body` ran. */
export async function processorTimes<Name extends string, T>(
  pids: Readonly<Record<Name, number>>,
  body: () => Promise<T>,
): Promise<{ result: T; used: Record<string, number> }> {
  const read = async () =>
    Object.fromEntries(
      await Promise.all(
        Object.entries<number>(pids).map(async ([name, pid]) => [name, await processorTime(pid)] as const),
      ),
    );
  const before = await read();
  const result = await body();
  const after = await read();
  const used = Object.entries(after).map(([name, time]) => [name, time - (before[name] ?? 0)] as const);
  return { result, used: Object.fromEntries(used) };
}
