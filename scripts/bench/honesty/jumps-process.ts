/** A process of the campaign: measures jumps of the kinds that it is sent, one after the other. */
import { z } from 'zod';
import { judgeJumps, jumpKinds } from './jumps.ts';

const asked = z.object({ kind: z.string(), seed: z.string() });

process.on('message', (message: unknown) => {
  const { kind: name, seed } = asked.parse(message);
  const kind = jumpKinds.find((each) => each.name === name);
  if (kind === undefined) throw new Error(`There is no kind ${name}.`);
  process.send?.(judgeJumps(kind, seed));
});
