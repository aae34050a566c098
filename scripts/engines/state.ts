import { mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { replaceFile } from '../../shared/kernel/files/atomic-write.ts';
import { withLock } from './locks.ts';
import { isRunning, startTimeOf, stopProcess } from './pids.ts';
import { isHealthy } from './processes.ts';
import { type EngineProcess, noReport, type Report } from './types.ts';

const rememberedProcess = z.object({
  /** `temporal`, `mongodb`, `api`, `worker-1` … */
  name: z.string().min(1),
  pid: z.number().int().positive().nullable(),
  /** Distinguishes this process from a later one with the same pid; null if the system does not report it. */
  startTime: z.string().nullable(),
  address: z.string(),
  port: z.number().int(),
  uiAddress: z.string().optional(),
  uiPort: z.number().int().optional(),
  innerUiPort: z.number().int().optional(),
  origin: z.string(),
  logFile: z.string().optional(),
  temporaryPath: z.string().optional(),
});

/** A process started by `npm start`, as recorded in the state file. Every {@link EngineProcess} is one. */
export type RememberedProcess = z.infer<typeof rememberedProcess>;

/** Reads the state file. Skips invalid entries; a missing or corrupt file counts as empty. */
export async function readState(file: string): Promise<RememberedProcess[]> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(file, 'utf8'));
  } catch {
    return [];
  }
  const entries = z.object({ processes: z.array(z.unknown()) }).safeParse(value);
  const parsed = (entries.data?.processes ?? []).map((entry) => rememberedProcess.safeParse(entry));
  return parsed.flatMap((entry) => (entry.success ? [entry.data] : []));
}

/** Replaces the file atomically: a reader sees either the old or the new one. */
export async function writeState(file: string, processes: readonly RememberedProcess[]): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await replaceFile(file, `${JSON.stringify({ processes }, null, 2)}\n`);
}

/** Adds the process to the file. Replaces an earlier one with the same name. */
export async function rememberProcess(file: string, process: RememberedProcess): Promise<void> {
  await changeState(file, (processes) => [...processes.filter(({ name }) => name !== process.name), process]);
}

/** Removes the process with this name from the file. */
export async function forgetProcess(file: string, name: string): Promise<void> {
  await changeState(file, (processes) => processes.filter((process) => process.name !== name));
}

async function changeState(
  file: string,
  change: (processes: RememberedProcess[]) => RememberedProcess[],
): Promise<void> {
  await withLock(`${file}.lock`, async () => writeState(file, change(await readState(file))));
}

/** The entry of a child process that is not an engine: the API, a worker. */
export function entryOf(
  name: string,
  pid: number,
  details: { address?: string; port?: number; origin?: string; logFile?: string } = {},
): RememberedProcess {
  const { address = '', port = 0, origin = 'npm start', logFile } = details;
  return { name, pid, startTime: startTimeOf(pid), address, port, origin, logFile };
}

/** Address of a process that is recorded in the file and still runs; null if there is none. */
export async function runningAddress(file: string, name: string): Promise<string | null> {
  const found = (await readState(file)).find((process) => process.name === name);
  return found && stillRuns(found) ? found.address : null;
}

/** Whether the recorded process is still running, and not a later one with the same pid. */
export function stillRuns(process: RememberedProcess): boolean {
  return process.pid !== null && isRunning({ pid: process.pid, startTime: process.startTime });
}

/** Stops the recorded process if it is still running. A process that reuses its pid is not touched. */
export async function stopRemembered(process: RememberedProcess, graceMs: number): Promise<void> {
  if (
    process.pid !== null &&
    !(await stopProcess({ pid: process.pid, startTime: process.startTime }, graceMs))
  ) {
    throw new Error(`${process.name} (pid ${process.pid}) cannot be stopped`);
  }
}

export interface AdoptOptions {
  /** Whether a recorded, running process can be used; for an engine: {@link isHealthy}. */
  healthy: (remembered: RememberedProcess) => Promise<boolean>;
  start: () => Promise<RememberedProcess>;
  /** Milliseconds that an unusable process has to stop before it is killed. */
  graceMs: number;
  report?: Report;
}

/**
 * Keeps the recorded process with this name if it is running and usable. Otherwise makes sure that it is gone, starts a
 * new one and records it.
 */
export async function adoptOrStart(
  file: string,
  name: string,
  options: AdoptOptions,
): Promise<{ process: RememberedProcess; adopted: boolean }> {
  const report = options.report ?? noReport;
  const remembered = (await readState(file)).find((process) => process.name === name);
  if (remembered !== undefined && stillRuns(remembered)) {
    if (await options.healthy(remembered)) {
      report(`${name}: keeps running (pid ${remembered.pid})`);
      return { process: remembered, adopted: true };
    }
    report(`${name}: pid ${remembered.pid} does not answer and is stopped`);
    await stopRemembered(remembered, options.graceMs);
  }
  const process = await options.start();
  await rememberProcess(file, process);
  return { process, adopted: false };
}
