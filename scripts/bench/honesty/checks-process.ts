/** A process of the campaign: judges the checks that it is sent, one after the other. */
import { z } from 'zod';
import { checkedKinds, judgeTrial } from './checks.ts';

const asked = z.object({ kind: z.string(), state: z.enum(['within', 'beyond']), seed: z.string() });

process.on('message', (message: unknown) => {
  const { kind: name, state, seed } = asked.parse(message);
  const kind = checkedKinds.find((each) => each.name === name);
  if (kind === undefined) throw new Error(`There is no kind ${name}.`);
  process.send?.(judgeTrial(kind, state, seed));
});
