/** A process of the campaign: calibrates the readouts that it receives, one after the other. */
import { z } from 'zod';
import { READOUT_DEVICES, tuneReadout } from './readout.ts';

const asked = z.object({ kind: z.enum(READOUT_DEVICES), seed: z.string() });

process.on('message', (message: unknown) => {
  const { kind, seed } = asked.parse(message);
  process.send?.(tuneReadout(kind, seed));
});
