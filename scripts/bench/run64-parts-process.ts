import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { processMemory } from '../process-memory.ts';
import type { RequestedRun, SpentOnParts } from './run64-parts.ts';

/**
 * Runs `run64-parts.ts` in a separate process with the worker's memory settings. In the benchmark's process, the work of
 * its connections would be counted too, mostly as file writes, because these wait.
 */
export async function partsOf(requested: RequestedRun): Promise<SpentOnParts> {
  const child = fork(fileURLToPath(new URL('run64-parts.ts', import.meta.url)), {
    env: { ...process.env, ...processMemory },
    execArgv: ['--import', 'tsx'],
    serialization: 'advanced',
  });
  child.send(requested);
  return new Promise((resolve, reject) => {
    child.once('message', (spent: SpentOnParts) => resolve(spent));
    child.once('exit', (code) =>
      reject(new Error(`The process that goes through the run ended with ${code}.`)),
    );
  });
}
