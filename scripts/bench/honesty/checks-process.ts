/** A process of the campaign: judges the checks that it receives, one after the other. */
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { windowsFile } from '../../../shared/domain/maintenance/index.ts';
import { tolerancesOf } from '../../../shared/domain/maintenance/window-rules.ts';
import { packageRoot } from '../../../shared/kernel/package-root.ts';
import { checkedKinds, judgeTrial } from './checks.ts';

const asked = z.object({
  kind: z.string(),
  state: z.enum(['within', 'beyond']),
  seed: z.string(),
  configured: z.boolean(),
});
const windows = windowsFile.read(fileURLToPath(new URL('config', packageRoot)));

async function judge(message: unknown): Promise<void> {
  const { kind: name, state, seed, configured } = asked.parse(message);
  const kind = checkedKinds.find((each) => each.name === name);
  if (kind === undefined) throw new Error(`There is no kind ${name}.`);
  const tolerances = configured ? tolerancesOf(await windows) : {};
  process.send?.(judgeTrial(kind, state, { seed, tolerances }));
}

process.on('message', (message: unknown) => void judge(message));
