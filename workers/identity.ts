import { hostname } from 'node:os';

/** By what the engine and executions name this process: its number and machine. */
export const workerIdentity = `${process.pid}@${hostname()}`;

/** Whether a process of that identity may be there; of those on this machine it is known. */
export function mayRun(identity: string): boolean {
  const [, pid, host] = /^(\d+)@(.+)$/.exec(identity) ?? [];
  if (pid === undefined || host !== hostname()) return true;
  try {
    return process.kill(Number(pid), 0);
  } catch {
    return false;
  }
}
