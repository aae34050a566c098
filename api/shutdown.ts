import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { CONNECTION_CLOSE_LIMIT } from '../shared/kernel/stopping.ts';

/** Time limit in ms of each shutdown phase; draining also takes API_DRAIN. The sum stays below the 15 s of `npm start`. */
export const phaseLimits = { drain: 1000, requests: 7000, connections: CONNECTION_CLOSE_LIMIT };
/** Milliseconds between two checks for idle connections. */
const IDLE_LOOK = 100;

/** Continues to serve for the given time, while /readyz and each response ask clients to use another process. */
export async function drain(server: FastifyInstance, seconds: number): Promise<void> {
  server.draining.active = true;
  await wait(seconds * 1000);
}

/** Accepts no more requests and waits for those in flight. */
export async function finishRequests(server: FastifyInstance): Promise<void> {
  // A response that started before the shutdown did not close its connection, which is idle afterwards.
  const closing = setInterval(() => server.server.closeIdleConnections(), IDLE_LOOK);
  try {
    await server.close();
  } finally {
    clearInterval(closing);
  }
}
