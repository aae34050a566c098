import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Laboratory } from './laboratory.ts';
import { pythonPackages } from './python.ts';

const program = fileURLToPath(new URL('../docs/stalling_backend.py', import.meta.url));

/** A worker of docs/backend_worker.py with an instrument that takes its time. */
export interface PythonBackend {
  child: ChildProcess;
  /** Ends it at once, as a crash would. */
  kill(): Promise<void>;
  hasEnded(): boolean;
  /** What happened to its instrument, line by line: `start <qid> <name>`, `end …`, `abort …`. */
  journal(): Promise<string[]>;
}

/**
 * Starts a Python worker that serves a backend of a laboratory, and waits until it serves.
 * @param options `seconds` that a measurement takes, or between which it takes them, such as `0..30`; `address` of Temporal,
 *   unless it is the laboratory's own; `json` writes the laboratory's own journal instead of one of its own
 */
export async function startPythonBackend(
  lab: Laboratory,
  python: string,
  options: {
    backend: string;
    name: string;
    seconds: number | string;
    atOnce?: number;
    address?: string;
    json?: boolean;
  },
): Promise<PythonBackend> {
  const { backend, name, seconds, atOnce = 1, address = lab.settings.TEMPORAL_ADDRESS } = options;
  const path = join(lab.directory, `${backend}-${name}.journal`);
  const log = await open(join(lab.directory, `${backend}-${name}.log`), 'a');
  const journal = options.json
    ? { INSTRUMENT_JSON_JOURNAL: lab.variables.SIMULATOR_JOURNAL }
    : { INSTRUMENT_JOURNAL: path };
  const child = spawn('python3', [program], {
    env: {
      ...journal,
      PATH: process.env['PATH'],
      PYTHONPATH: await pythonPackages(python),
      PYTHONDONTWRITEBYTECODE: '1',
      TEMPORAL_ADDRESS: address,
      TEMPORAL_NAMESPACE: lab.settings.TEMPORAL_NAMESPACE,
      BACKEND: backend,
      MEASUREMENTS_AT_ONCE: String(atOnce),
      INSTRUMENT: name,
      INSTRUMENT_SECONDS: String(seconds),
      INSTRUMENT_NAMES_QUBITS: '1',
    },
    stdio: ['ignore', 'pipe', log.fd],
  });
  const exited = once(child, 'exit');
  const endWithThis = () => child.kill('SIGKILL');
  process.once('exit', endWithThis);
  child.once('exit', () => process.off('exit', endWithThis));
  await log.close();
  if (child.stdout) await Promise.race([once(child.stdout, 'data'), exited]);
  return {
    child,
    async kill() {
      child.kill('SIGKILL');
      await exited;
      if (child.pid !== undefined) lab.killed.set(child.pid, Date.now());
    },
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    journal: async () => (await readFile(path, 'utf8').catch(() => '')).split('\n').filter(Boolean),
  };
}
