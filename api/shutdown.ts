import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Logger } from '../shared/kernel/log.ts';

/** Milliseconds that each phase of stopping may take, draining beyond API_DRAIN; together below the 15 s of `npm start`. */
export const phaseLimits = { drain: 1000, requests: 7000, connections: 2000 };
/** Milliseconds between two looks for connections that have become idle. */
const IDLE_LOOK = 100;

/** One step of stopping: it is given so many milliseconds, then the next step begins anyway. */
export interface Phase {
  name: string;
  limit: number;
  run(): Promise<unknown>;
}

/** Goes on serving for so many seconds, while /readyz and each answer tell clients to go elsewhere. */
export async function drain(server: FastifyInstance, seconds: number): Promise<void> {
  server.draining.active = true;
  await wait(seconds * 1000);
}

/** Takes no more requests and waits for those in flight. */
export async function finishRequests(server: FastifyInstance): Promise<void> {
  // An answer that had begun before the stop did not say that its connection ends; it is idle afterwards.
  const closing = setInterval(() => server.server.closeIdleConnections(), IDLE_LOOK);
  try {
    await server.close();
  } finally {
    clearInterval(closing);
  }
}

/** Runs the phases one after another. @returns whether each ended well and in time */
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

/** Stops in phases at the first SIGTERM or SIGINT and exits; the second one exits at once. */
export function stopOnSignals(phases: readonly Phase[], log: Logger): void {
  let stopping = false;
  const onSignal = (signal: NodeJS.Signals) => {
    if (stopping) {
      log.warn({ signal }, 'second signal, leaving at once');
      process.exit(1);
    }
    stopping = true;
    log.info({ signal }, 'stopping');
    void stopInPhases(phases, log).then((clean) => {
      log.info({ clean }, 'stopped');
      process.exit(clean ? 0 : 1);
    });
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}
