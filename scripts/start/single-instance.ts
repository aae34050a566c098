import { mkdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { replaceFile } from '../../shared/kernel/files/atomic-write.ts';
import { withLock } from '../engines/locks.ts';
import { isRunning, ownIdentity, type ProcessIdentity } from '../engines/pids.ts';
import type { Report } from '../engines/types.ts';
import type { DataDirectory } from './data-directory.ts';
import { parentNpm } from './process-table.ts';

const RETRY_MS = 200;

const identity = z.object({ pid: z.number().int(), startTime: z.string().nullable() });

const holderFile = identity.extend({
  phase: z.enum(['starting', 'running', 'stopping']),
  /** Address of its API, once that is running. */
  address: z.string(),
  /** The npm that runs it. */
  launcher: identity.nullable(),
});
type Holder = z.infer<typeof holderFile>;

/** Another `npm start` is running on the data directory. */
export class AlreadyRunning extends Error {
  override readonly name = 'AlreadyRunning';
}

class Held extends Error {
  readonly holder: ProcessIdentity;
  constructor(holder: ProcessIdentity) {
    super(`held by ${holder.pid}`);
    this.holder = holder;
  }
}

/** Options for dealing with another `npm start` that is running or stopping. */
interface Meeting {
  report: Report;
  /** Milliseconds within which a stopping one must end. */
  patience: number;
}

export type ReportPhase = (phase: Holder['phase'], address?: string) => Promise<void>;

/**
 * Runs `body` as the only `npm start` of the data directory. Waits for one that is stopping. Replaces one whose
 * npm was killed, and leaves its processes running to be adopted.
 * @throws AlreadyRunning with pid and address
 */
export async function runAsOnlyInstance<T>(
  directory: DataDirectory,
  { report, patience }: Meeting,
  body: (reportPhase: ReportPhase) => Promise<T>,
): Promise<T> {
  await mkdir(directory.root, { recursive: true });
  const deadline = Date.now() + patience;
  let isReported = false;
  for (;;) {
    try {
      return await withLock(
        directory.lockFile,
        () => body(phaseReporter(directory)),
        (holder) => {
          throw new Held(holder);
        },
      );
    } catch (thrown) {
      if (!(thrown instanceof Held)) throw thrown;
      const { pid } = thrown.holder;
      const known = await readHolder(directory);
      const holder = known?.pid === pid ? known : null;
      if (holder?.phase === 'stopping' && Date.now() < deadline) {
        if (!isReported) report(`waiting for an earlier start (pid ${pid}), which is stopping`);
      } else if (holder?.launcher && !isRunning(holder.launcher)) {
        if (!isReported)
          report(`the npm of an earlier start (pid ${pid}) was killed; this start takes its place`);
        // SIGKILL, so that it does not stop its processes first.
        signal(thrown.holder, 'SIGKILL');
      } else {
        const where = holder?.address ? ` at ${holder.address}` : '';
        throw new AlreadyRunning(
          `Calibron runs already${where} on ${directory.root} (pid ${pid}). Use that one, stop it, or set another DATA_DIR.`,
        );
      }
      isReported = true;
      await sleep(RETRY_MS);
    }
  }
}

/**
 * Runs `body` once no `npm start` is running on the data directory. One that is running or starting is asked to stop, and
 * killed if it does not.
 * @returns the result of `body`, and whether there was one
 */
export async function runAfterStopping<T>(
  directory: DataDirectory,
  { report, patience }: Meeting,
  body: () => Promise<T>,
): Promise<{ result: T; stoppedStart: boolean }> {
  await mkdir(directory.root, { recursive: true });
  /** Deadline of each process that was asked to stop, by pid. */
  const asked = new Map<number, number>();
  for (;;) {
    try {
      const result = await withLock(directory.lockFile, body, (holder) => {
        throw new Held(holder);
      });
      return { result, stoppedStart: asked.size > 0 };
    } catch (thrown) {
      if (!(thrown instanceof Held)) throw thrown;
      const { holder } = thrown;
      const until = asked.get(holder.pid);
      if (until === undefined) {
        report(`stopping the npm start of pid ${holder.pid}`);
        // A second signal would end it immediately.
        if ((await readHolder(directory))?.phase !== 'stopping') signal(holder, 'SIGTERM');
        asked.set(holder.pid, Date.now() + patience);
      } else if (Date.now() > until) signal(holder, 'SIGKILL');
      await sleep(RETRY_MS);
    }
  }
}

function signal(holder: ProcessIdentity, name: NodeJS.Signals): void {
  if (!isRunning(holder)) return;
  try {
    process.kill(holder.pid, name);
  } catch {
    // it ended meanwhile
  }
}

function phaseReporter(directory: DataDirectory): ReportPhase {
  const launcher = parentNpm();
  let known = '';
  return async (phase, address) => {
    known = address ?? known;
    const holder: Holder = { ...ownIdentity(), phase, address: known, launcher };
    await replaceFile(directory.holderFile, `${JSON.stringify(holder, null, 2)}\n`);
  };
}

async function readHolder(directory: DataDirectory): Promise<Holder | null> {
  try {
    return holderFile.parse(JSON.parse(await readFile(directory.holderFile, 'utf8')));
  } catch {
    return null;
  }
}
