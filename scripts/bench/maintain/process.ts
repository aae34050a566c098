/** A process of the benchmark: keeps the groups of qubits that it is sent, one after the other. */
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { windowsFile } from '../../../shared/domain/maintenance/index.ts';
import { packageRoot } from '../../../shared/kernel/package-root.ts';
import { benchChip, chipOf } from './chip.ts';
import { keep, policies } from './keeping.ts';
import { createLaboratory } from './laboratory.ts';

const asked = z.object({
  seed: z.string(),
  qubits: z.number(),
  days: z.number(),
  policy: z.string(),
  qids: z.array(z.string()),
});
const settings = windowsFile.read(fileURLToPath(new URL('config', packageRoot)));

async function keepGroup(message: unknown): Promise<void> {
  const { seed, qubits, days, policy: name, qids } = asked.parse(message);
  const policy = policies[name];
  if (policy === undefined) throw new Error(`There is no policy ${name}.`);
  const chip = chipOf(benchChip(seed, { qubits, days }), qids);
  process.send?.(keep(policy, { chip, lab: createLaboratory(chip, await settings) }));
}

process.on('message', (message: unknown) => void keepGroup(message));
