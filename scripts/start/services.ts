import { setTimeout as sleep } from 'node:timers/promises';
import { type ProcessIdentity, stopProcess } from '../engines/pids.ts';
import {
  adoptOrStart,
  forgetProcess,
  type RememberedProcess,
  readState,
  stillRuns,
} from '../engines/state.ts';
import { type Report, reasonOf } from '../engines/types.ts';
import type { DataDirectory, ServiceName } from './data-directory.ts';
import { processesOf } from './process-table.ts';

/** Milliseconds between two checks whether a process is still running. */
const POLL_MS = 500;
/** Delays in ms before the first, second, … restart of a process that keeps dying. The last one is used from then on. */
const BACK_OFF_MS = [0, 1_000, 2_000, 5_000, 10_000, 30_000];
/** A process that has run for this long has recovered, so its next restart is immediate again. */
const RECOVERED_MS = 60_000;

/** One of the processes that `npm start` keeps running. */
export interface Service {
  name: ServiceName;
  /** Name in messages. */
  title: string;
  /** Milliseconds that it has to stop before it is killed. */
  graceMs: number;
  /** True if its address is configured: then there is no process to run here. */
  elsewhere: boolean;
  /** Whether a process of an earlier start can be used as it is. */
  isFit(remembered: RememberedProcess): Promise<boolean>;
  /** Starts it and waits until it serves. `previous` is the recorded process, whose ports are reused. */
  start(previous: RememberedProcess | undefined): Promise<RememberedProcess>;
}

/** Keeps a service's process of an earlier start if it can be used, otherwise starts a new one. */
export async function startOrAdopt(
  directory: DataDirectory,
  service: Service,
  report: Report,
): Promise<RememberedProcess> {
  const { name, graceMs } = service;
  const previous = (await readState(directory.stateFile)).find((remembered) => remembered.name === name);
  const ours = () => processesOf(directory, name);
  if (previous && stillRuns(previous) && !ours().some(({ pid }) => pid === previous.pid)) {
    await forgetProcess(directory.stateFile, name); // the data directory is a copy of one in use
  }
  if (service.elsewhere) {
    await stopUnwanted(service, ours(), report);
    await forgetProcess(directory.stateFile, name);
    return service.start(undefined); // not recorded, because its address may contain a password
  }
  const { process } = await adoptOrStart(directory.stateFile, name, {
    healthy: (remembered) => service.isFit(remembered),
    start: async () => {
      await stopUnwanted(service, ours(), report);
      return service.start(previous);
    },
    graceMs,
    report,
  });
  return process;
}

async function stopUnwanted(
  service: Service,
  processes: readonly ProcessIdentity[],
  report: Report,
): Promise<void> {
  if (processes.length === 0) return;
  const pids = processes.map(({ pid }) => pid).join(', ');
  report(`${service.name}: an earlier process (pid ${pids}) is stopped`);
  await Promise.all(processes.map((each) => stopProcess(each, service.graceMs)));
}

/**
 * Restarts a service's process each time it dies, with increasing delays if it keeps dying, until the signal aborts.
 * @param onRestart called with the new process
 */
export async function keepAlive(
  directory: DataDirectory,
  service: Service,
  first: RememberedProcess,
  options: { signal: AbortSignal; report: Report; onRestart: (process: RememberedProcess) => Promise<void> },
): Promise<void> {
  const { signal, report } = options;
  if (first.pid === null) return; // not ours
  let current = first;
  let startedAt = Date.now();
  let failures = 0;
  while (!signal.aborted) {
    await sleep(POLL_MS, undefined, { signal }).catch(() => {});
    if (signal.aborted || stillRuns(current)) continue;
    if (Date.now() - startedAt > RECOVERED_MS) failures = 0;
    const wait = BACK_OFF_MS[Math.min(failures, BACK_OFF_MS.length - 1)] ?? 0;
    failures += 1;
    report(
      `${service.title} (pid ${current.pid}) has ended and is started again${wait > 0 ? ` in ${wait / 1000} s` : ''}`,
    );
    await sleep(wait, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    try {
      current = await startOrAdopt(directory, service, () => {});
      report(`${service.title} is back (pid ${current.pid})`);
      await options.onRestart(current);
    } catch (error) {
      if (!signal.aborted) report(`${service.title} could not be started: ${reasonOf(error)}`);
    }
    startedAt = Date.now();
  }
}

/** Stops processes that an earlier start has left of a service that is no longer needed. */
export async function stopLeft(directory: DataDirectory, service: Service, report: Report): Promise<void> {
  const left = processesOf(directory, service.name);
  await stopUnwanted(service, left, report);
  await forgetProcess(directory.stateFile, service.name);
}
