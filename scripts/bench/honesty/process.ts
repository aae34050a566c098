/** A process of the campaign: judges the measurements that it receives, one after the other. */
import { z } from 'zod';
import { kinds } from './kinds.ts';
import { judgeSent } from './measuring.ts';

const asked = z.object({ kind: z.string(), seed: z.string() });

process.on('message', async (message: unknown) => {
  const { kind: name, seed } = asked.parse(message);
  const kind = kinds.find((each) => each.name === name);
  if (kind === undefined) throw new Error(`There is no kind ${name}.`);
  process.send?.(await judgeSent(kind, seed));
});
