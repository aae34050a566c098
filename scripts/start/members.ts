import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning, type ProcessIdentity, stopProcess } from '../engines/pids.ts';
import {
  adoptOrStart,
  forgetProcess,
  type RecordedProcess,
  readState,
  stillRuns,
  stopRecorded,
} from '../engines/state.ts';
import { type Report, reasonOf } from '../engines/types.ts';
import { type MemberName, memberNames, type Place } from './place.ts';
import { processesOf } from './process-table.ts';

/** Milliseconds between two looks at whether a process still runs. */
const LOOK_MS = 500;
/** Waits before the first, second, … restart of a process that keeps dying; the last one stays. */
const BACK_OFF_MS = [0, 1_000, 2_000, 5_000, 10_000, 30_000];
/** A process that ran this long has recovered: the next restart is immediate again. */
const RECOVERED_MS = 60_000;

/** One of the processes that `npm start` keeps running. */
export interface Member {
  name: MemberName;
  /** As sentences name it. */
  title: string;
  /** How long it may take to stop before it is killed. */
  graceMs: number;
  /** True when its address is given from outside: then there is nothing here to run. */
  elsewhere: boolean;
  /** Whether a process of an earlier start is fit for use as it is. */
  isFit(recorded: RecordedProcess): Promise<boolean>;
  /** Starts it and waits until it serves. `previous` is what was recorded, for its ports. */
  start(previous: RecordedProcess | undefined): Promise<RecordedProcess>;
}

/** Goes on with a member's process of an earlier start if it is fit, otherwise starts a new one. */
export async function bringUp(place: Place, member: Member, report: Report): Promise<RecordedProcess> {
  const { name, graceMs } = member;
  const previous = (await readState(place.stateFile)).find((recorded) => recorded.name === name);
  if (previous && stillRuns(previous)) {
    const ours = processesOf(place, name).some(({ pid }) => pid === previous.pid);
    if (!ours) {
      await forgetProcess(place.stateFile, name); // the data directory is a copy of one in use
    } else if (member.elsewhere) {
      report(`${name}: pid ${previous.pid} is stopped, since another one is set`);
      await stopRecorded(previous, graceMs);
    }
  }
  const { process } = await adoptOrStart(place.stateFile, name, {
    healthy: (recorded) => member.isFit(recorded),
    start: async () => {
      const unrecorded = processesOf(place, name);
      if (unrecorded.length > 0) {
        report(`${name}: ${pidsOf(unrecorded)} of an earlier start is stopped`);
        await Promise.all(unrecorded.map((found) => stopProcess(found, graceMs)));
      }
      return member.start(previous);
    },
    graceMs,
    report,
  });
  return process;
}

/**
 * Starts a member's process again each time it dies, ever later if it keeps dying, until the signal.
 * @param onRestart hears of the new process.
 */
export async function keepAlive(
  place: Place,
  member: Member,
  first: RecordedProcess,
  options: { signal: AbortSignal; report: Report; onRestart: (process: RecordedProcess) => Promise<void> },
): Promise<void> {
  const { signal, report } = options;
  if (first.pid === null) return; // not ours
  let current = first;
  let startedAt = Date.now();
  let failures = 0;
  while (!signal.aborted) {
    await sleep(LOOK_MS, undefined, { signal }).catch(() => {});
    if (signal.aborted || stillRuns(current)) continue;
    if (Date.now() - startedAt > RECOVERED_MS) failures = 0;
    const wait = BACK_OFF_MS[Math.min(failures, BACK_OFF_MS.length - 1)] ?? 0;
    failures += 1;
    report(
      `${member.title} (pid ${current.pid}) has ended and is started again${wait > 0 ? ` in ${wait / 1000} s` : ''}`,
    );
    await sleep(wait, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    try {
      current = await bringUp(place, member, () => {});
      report(`${member.title} is back (pid ${current.pid})`);
      await options.onRestart(current);
    } catch (error) {
      if (!signal.aborted) report(`${member.title} could not be started: ${reasonOf(error)}`);
    }
    startedAt = Date.now();
  }
}

/** Everything of these kinds that runs on the data directory, recorded or not. */
export function runningProcesses(
  place: Place,
  names: readonly MemberName[] = memberNames,
): ProcessIdentity[] {
  return names.flatMap((name) => processesOf(place, name)).filter(isRunning);
}

function pidsOf(processes: readonly ProcessIdentity[]): string {
  return `pid ${processes.map(({ pid }) => pid).join(', ')}`;
}
