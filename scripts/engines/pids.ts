import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 20;
const KILL_WAIT_MS = 5_000;

/** Identifies a process even if its pid has been reused. */
export interface ProcessIdentity {
  pid: number;
  startTime: string | null;
}

/** Identity of this process. */
export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, startTime: startTimeOf(process.pid) };
}

/** Whether a process with this pid is running. A zombie is not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
  return statOf(pid)?.[0] !== 'Z';
}

/** Start time of a process, which distinguishes it from others with the same pid; null if it is unknown. */
export function startTimeOf(pid: number): string | null {
  const stat = statOf(pid);
  if (stat !== null) {
    // field 22, ticks since boot; the first field after the name in brackets is field 3
    return `${bootId()}:${stat[19]}`;
  }
  return process.platform === 'linux' || process.platform === 'win32' ? null : startTimeFromPs(pid);
}

/**
 * Start time of a process as `ps` shows it, for systems without /proc. Locale and time zone are fixed: another process that
 * asks, in another shell or after a journey, must get the same text.
 */
export function startTimeFromPs(pid: number): string | null {
  try {
    return (
      execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
        env: { ...process.env, LC_ALL: 'C', TZ: 'UTC0' },
      }).trim() || null
    );
  } catch {
    return null;
  }
}

/** Whether exactly this process is still running. False if its start time is unknown, because the pid may be reused. */
export function isRunning(identity: ProcessIdentity): boolean {
  return (
    identity.startTime !== null && isAlive(identity.pid) && startTimeOf(identity.pid) === identity.startTime
  );
}

/** Asks the process to stop, waits, then kills it. True if it is gone. A process that reuses its pid is not touched. */
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
 * Whether the process is the one that listens on the port. Known only on Linux. Other systems return true, so that only
 * the start time is checked there.
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

/** Sockets that listen on the port, of any process, named as in a process's file descriptors. */
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

/** The fields of /proc/<pid>/stat, starting with the state (the name before it may contain spaces), or null. */
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
