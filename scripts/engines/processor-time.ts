import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks per second, in which Linux reports processor time. */
const TICKS = 100;

interface Process {
  parent: number;
  /** Its own ticks and those of its children that have ended. */
  ticks: number;
}

/**
 * Seconds of processor time used so far by a process and its descendants, except those that outlived their parents.
 * Linux only; 0 on other systems.
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
      // The name may contain spaces. After it come state (field 3), parent (4), …, and four counts of ticks (14 to 17).
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
      found.set(Number(name), { parent: Number(fields[1]), ticks });
    } catch {
      // The process has ended, so its ticks are included in those of its parent.
    }
  }
  return found;
}
