import { defineArea } from '../../kernel/area.ts';
import { createParsingPool, type ParsingPool } from './pool.ts';

export type { Asker, ParsingPool, TextKind } from './pool.ts';

/** Shared limits of requests without a token: low, with a short wait. */
const OF_VISITORS = { threads: 1, processorMs: 3000, waiting: 20, perAsker: 2 };

/** Parses untrusted texts and files in threads that may fail or hang. Visitors cannot keep users waiting. */
export const parsing = defineArea({
  name: 'parsing',
  indexes: [],
  create(): ParsingPool {
    const pools = { user: createParsingPool(), visitor: createParsingPool(OF_VISITORS) };
    return {
      run: (job, asker) => pools[asker.kind].run(job, asker),
      destroy: async () => void (await Promise.all([pools.user.destroy(), pools.visitor.destroy()])),
    };
  },
  close: (pool) => pool.destroy(),
});
