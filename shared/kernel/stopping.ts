import type { Logger } from './log.ts';

/** Time limit for closing a connection to the store or the engine, in milliseconds. */
export const CONNECTION_CLOSE_LIMIT = 2000;

/** One phase of shutdown, with its time limit in milliseconds. After the limit the next phase starts regardless. */
export interface Phase {
  name: string;
  limit: number;
  run(): Promise<unknown>;
}

/** Runs the phases one after another. @returns whether every phase succeeded in time */
export async function stopInPhases(phases: readonly Phase[], log: Logger): Promise<boolean> {
  let clean = true;
  for (const phase of phases) {
    try {
      await within(phase.limit, phase.run());
    } catch (err) {
      clean = false;
      log.warn({ err, phase: phase.name }, 'a phase of stopping did not end well');
    }
  }
  return clean;
}

async function within(limit: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`not done after ${limit} ms`)), limit);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Stops in phases at the first SIGTERM or SIGINT and exits; a second signal exits at once.
 * @returns a function that stops the program in the same way for an internal reason, with exit code 1
 */
export function stopOnSignals(phases: readonly Phase[], log: Logger): (reason: string) => void {
  let stopping = false;

  function stop(fields: object, code: number): void {
    stopping = true;
    log.info(fields, 'stopping');
    void stopInPhases(phases, log).then((clean) => {
      log.info({ clean }, 'stopped');
      process.exit(clean ? code : 1);
    });
  }

  const onSignal = (signal: NodeJS.Signals) => {
    if (stopping) {
      log.warn({ signal }, 'second signal, leaving at once');
      process.exit(1);
    }
    stop({ signal }, 0);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  return (reason) => {
    if (!stopping) stop({ reason }, 1);
  };
}
