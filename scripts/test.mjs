// Plain JavaScript, because it runs before dependencies are installed. Arguments are passed to vitest, which selects files
// by parts of their paths: npm test -- test/foo.test.ts. With --soak, repeating tests run in full: npm run soak -- foo. With --clients, the
// generators of clients run: npm run test:clients.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installDependencies, ROOT } from './install.mjs';

/** Counts of a run that ended before the reporter could count: one failure. */
const NOTHING_COUNTED = { passed: 0, failed: 1, skipped: 0 };

const SOAK = '--soak';
const CLIENTS = '--clients';

async function main() {
  const directory = mkdtempSync(join(tmpdir(), 'calibron-counts-'));
  const countsFile = join(directory, 'counts.json');
  let code = 1;
  try {
    await installDependencies();
    code = await vitest(countsFile);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
  }
  const counts = countsIn(countsFile);
  rmSync(directory, { recursive: true, force: true });
  if (counts.failed === 0 && (code !== 0 || counts.passed === 0)) {
    counts.failed = 1;
  }
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
  console.log(`${counts.passed} passed, ${counts.failed} failed${skipped}`);
  process.exitCode = counts.failed > 0 ? code || 1 : 0;
}

/** Runs vitest and returns its exit code. Signals are left to vitest, so that it can stop its engines. */
function vitest(countsFile) {
  const program = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const given = process.argv.slice(2);
  const child = spawn(
    process.execPath,
    [program, 'run', ...given.filter((argument) => argument !== SOAK && argument !== CLIENTS)],
    {
      cwd: ROOT,
      stdio: 'inherit',
      env: {
        ...process.env,
        CALIBRON_TEST_COUNTS: countsFile,
        ...(given.includes(SOAK) && { CALIBRON_TEST_SOAK: '1' }),
        ...(given.includes(CLIENTS) && { CALIBRON_TEST_CLIENTS: '1' }),
      },
    },
  );
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill('SIGTERM'));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => resolve(code ?? 1));
  });
}

function countsIn(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { ...NOTHING_COUNTED };
  }
}

await main();
