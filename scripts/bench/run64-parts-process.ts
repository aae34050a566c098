import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { processMemory } from '../process-memory.ts';
import type { AskedRun, SpentOnParts } from './run64-parts.ts';

/**
 * Has `run64-parts.ts` go through a run in a process of its own, which keeps memory as the worker does. Beside the bench
 * its connections would count as well, most of all as the writing of files, which waits.
 */
export async function partsOf(asked: AskedRun): Promise<SpentOnParts> {
  const child = fork(fileURLToPath(new URL('run64-parts.ts', import.meta.url)), {
    env: { ...process.env, ...processMemory },
    execArgv: ['--import', 'tsx'],
    serialization: 'advanced',
  });
  child.send(asked);
  return new Promise((resolve, reject) => {
    child.once('message', (spent: SpentOnParts) => resolve(spent));
    child.once('exit', (code) =>
      reject(new Error(`The process that goes through the run ended with ${code}.`)),
    );
  });
}
