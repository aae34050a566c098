import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 20;
const KILL_WAIT_MS = 5_000;

/** A process, safe against a pid that was given to another one since. */
export interface ProcessIdentity {
  pid: number;
  startTime: string | null;
}

/** Who is running this. */
export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, startTime: startTimeOf(process.pid) };
}

/** Whether a process of that pid runs; one that ended and waits to be collected does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
  return statOf(pid)?.[0] !== 'Z';
}

/** When the process started, in a form that no other process of this pid has; null if it cannot be told. */
export function startTimeOf(pid: number): string | null {
  const stat = statOf(pid);
  if (stat !== null) {
    // field 22, ticks since boot; the first field after the name in brackets is field 3
    return `${bootId()}:${stat[19]}`;
  }
  if (process.platform === 'linux' || process.platform === 'win32') {
    return null;
  }
  try {
    return (
      execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }).trim() || null
    );
  } catch {
    return null;
  }
}

/** Whether this very process still runs. An unknown start time counts as no: it could be anyone's. */
export function isRunning(identity: ProcessIdentity): boolean {
  return (
    identity.startTime !== null && isAlive(identity.pid) && startTimeOf(identity.pid) === identity.startTime
  );
}

/** Asks the process to stop, waits, then kills it. True if it is gone; a recycled pid is left alone. */
export async function stopProcess(identity: ProcessIdentity, graceMs: number): Promise<boolean> {
  for (const [signal, patience] of [
    ['SIGTERM', graceMs],
    ['SIGKILL', KILL_WAIT_MS],
  ] as const) {
    if (!isRunning(identity)) {
      return true;
    }
    sendSignal(identity.pid, signal);
    const deadline = Date.now() + patience;
    while (isRunning(identity) && Date.now() < deadline) {
      await sleep(POLL_MS);
    }
  }
  return !isRunning(identity);
}

/**
 * Whether the process is the one that listens on the port. Only Linux tells; elsewhere the answer is yes, and
 * the start time has to do.
 */
export function listensOn(pid: number, port: number): boolean {
  const sockets = listeningSockets(pid, port);
  if (sockets === null) {
    return true;
  }
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => sockets.has(linkOf(`/proc/${pid}/fd/${fd}`)));
  } catch {
    return isAlive(pid);
  }
}

/** Sockets of any process that listen on the port, as a process's file descriptors name them. */
function listeningSockets(pid: number, port: number): Set<string> | null {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const sockets = new Set<string>();
  let known = false;
  for (const table of ['tcp', 'tcp6']) {
    let text: string;
    try {
      text = readFileSync(`/proc/${pid}/net/${table}`, 'utf8');
    } catch {
      continue;
    }
    known = true;
    for (const line of text.split('\n')) {
      const fields = line.trim().split(/\s+/);
      if (fields[1]?.endsWith(suffix) && fields[3] === '0A') {
        sockets.add(`socket:[${fields[9]}]`);
      }
    }
  }
  return known ? sockets : null;
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // it ended meanwhile
  }
}

/** The fields of /proc/<pid>/stat from the state on (the name before it may hold spaces), or null. */
function statOf(pid: number): string[] | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}
