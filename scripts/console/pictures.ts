/**
 * `npm run pictures`: writes the pictures of the README. The tests of the console make them, in a browser and on engines, so
 * they show what the console really shows.
 */
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { packageRoot } from '../../shared/kernel/package-root.ts';

const ROOT = fileURLToPath(packageRoot);
const TESTS = ['test/console/console.test.ts', 'test/console/lists.test.ts'];
/** Name in `docs/pictures`, and the name under which a test keeps it. */
const PICTURES = [
  ['console-chip', 'chip-qubit-light'],
  ['console-run', 'run-light'],
  ['console-compare', 'compare-executions-dark'],
] as const;

const kept = await mkdtemp(join(tmpdir(), 'calibron-pictures-'));
try {
  const { status } = spawnSync(process.execPath, [join(ROOT, 'scripts/test.mjs'), ...TESTS], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, CALIBRON_CONSOLE_PICTURES: kept },
  });
  if (status !== 0) throw new Error('The pictures were not made: a test of the console failed.');
  const folder = join(ROOT, 'docs/pictures');
  await mkdir(folder, { recursive: true });
  for (const [name, source] of PICTURES) {
    await sharp(join(kept, `${source}.png`))
      // A third smaller than PNG, and without loss: the scales of colours keep their steps.
      .webp({ lossless: true, effort: 6 })
      .toFile(join(folder, `${name}.webp`));
  }
} finally {
  await rm(kept, { recursive: true, force: true });
}
