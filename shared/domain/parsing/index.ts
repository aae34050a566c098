import { defineArea } from '../../kernel/area.ts';
import { createParsingPool, type ParsingPool } from './pool.ts';

export type { ParsingPool, TextKind } from './pool.ts';

/** Reading what people or labs wrote, in threads that may fail or hang. */
export const parsing = defineArea({
  name: 'parsing',
  indexes: [],
  create: (): ParsingPool => createParsingPool(),
  close: (pool) => pool.destroy(),
});
