import { Context } from '@temporalio/activity';
import { serveBackend } from '../support/foreign-backend.ts';
import type { Laboratory } from '../support/laboratory.ts';

/** Name of the backend. */
export const HELD_BACKEND = 'held';
/** Milliseconds between two heartbeats. */
const BEAT = 500;

/** A backend of a lab's own whose measurements last until the test lets them end. */
export async function serveHeldBackend(lab: Laboratory) {
  const held: (() => void)[] = [];
  let begun = 0;
  const backend = await serveBackend(lab, HELD_BACKEND, async ({ targets }) => {
    const { heartbeat } = Context.current();
    begun += 1;
    const beating = setInterval(() => heartbeat(), BEAT);
    try {
      await new Promise<void>((resolve) => held.push(resolve));
    } finally {
      clearInterval(beating);
    }
    return {
      targets: Object.fromEntries(targets.map((qid) => [qid, { outputs: { t1: { value: 42, error: 1 } } }])),
    };
  });
  return {
    /** Measurements that were begun. */
    begun: () => begun,
    /** Lets those end that are held now. */
    release() {
      for (const end of held.splice(0)) end();
    },
    async close() {
      for (const end of held.splice(0)) end();
      await backend.close();
    },
  };
}
