import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { CONNECTION_CLOSE_LIMIT } from '../shared/kernel/stopping.ts';

/** Milliseconds that each phase of stopping may take, draining beyond API_DRAIN; together below the 15 s of `npm start`. */
export const phaseLimits = { drain: 1000, requests: 7000, connections: CONNECTION_CLOSE_LIMIT };
/** Milliseconds between two looks for connections that have become idle. */
const IDLE_LOOK = 100;

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
