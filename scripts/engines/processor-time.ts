import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks a second in which Linux counts processor time for programs. */
const TICKS = 100;

interface Process {
  parent: number;
  /** Ticks of its own and of all its children that have ended. */
  ticks: number;
}

/**
 * Seconds of processor time that a process and all that it started have had so far; of those that outlived their parents
 * nothing is known. Linux only: elsewhere it is 0.
 */
export function processorSeconds(pid: number): number {
  const processes = allProcesses();
  const ofTree = (each: number): number =>
    (processes.get(each)?.ticks ?? 0) +
    [...processes].reduce((sum, [child, { parent }]) => sum + (parent === each ? ofTree(child) : 0), 0);
  return ofTree(pid) / TICKS;
}

function allProcesses(): Map<number, Process> {
  const found = new Map<number, Process>();
  if (process.platform !== 'linux') return found;
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      // The name before it may hold spaces; then come state (field 3), parent (4), …, and four counts of ticks (14 to 17).
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
      found.set(Number(name), { parent: Number(fields[1]), ticks });
    } catch {
      // It ended meanwhile: its parent has its ticks.
    }
  }
  return found;
}
