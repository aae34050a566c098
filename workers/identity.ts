import { hostname } from 'node:os';

/** Identity of this process in the engine and in executions: process id and host name. */
export const workerIdentity = `${process.pid}@${hostname()}`;

/** Whether the process with this identity may be running. Only processes on this machine can be checked. */
export function mayRun(identity: string): boolean {
  const [, pid, host] = /^(\d+)@(.+)$/.exec(identity) ?? [];
  if (pid === undefined || host !== hostname()) return true;
  try {
    return process.kill(Number(pid), 0);
  } catch (thrown) {
    // A process of another user is there, and may not be signalled.
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'EPERM';
  }
}
