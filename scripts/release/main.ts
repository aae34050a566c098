/** `npm run release -- <version>` prepares a release in the working tree and prints the commands that publish it. */
import { fileURLToPath } from 'node:url';
import { messageOf } from '../../shared/kernel/errors.ts';
import { packageRoot } from '../../shared/kernel/package-root.ts';
import * as workflows from '../../workflows/index.ts';
import * as updaterWorkflows from '../../workflows/updater.ts';
import { recordingTests } from './histories.ts';
import { NotReleasable, prepareRelease } from './release.ts';
import { runTests } from './run-tests.ts';

const root = fileURLToPath(packageRoot);

async function recordHistories(version: string): Promise<void> {
  const files = await recordingTests(root);
  console.log(`recording histories of ${version} with ${files.length} test files`);
  const { failed } = await runTests(root, {
    program: process.execPath,
    args: files,
    environment: { RECORD_HISTORIES: version },
  });
  if (failed > 0) throw new NotReleasable(['A test failed while histories were recorded. Fix it.']);
}

async function main(): Promise<number> {
  const [version, ...others] = process.argv.slice(2);
  if (version === undefined || others.length > 0) {
    console.error('Give one version: npm run release -- 1.2.0');
    return 2;
  }
  const commands = await prepareRelease({
    root,
    version,
    date: new Date().toISOString().slice(0, 10),
    workflows: [...Object.keys(workflows), ...Object.keys(updaterWorkflows)],
    record: recordHistories,
  });
  console.log(
    `\n${version} is prepared. Check git diff and update-manifest.json, and that the CI of main has passed.`,
  );
  console.log('Then publish it:\n');
  for (const command of commands) console.log(`  ${command}`);
  return 0;
}

process.exitCode = await main().catch((thrown: unknown) => {
  const problems = thrown instanceof NotReleasable ? thrown.problems : [messageOf(thrown)];
  for (const problem of problems) console.error(problem);
  return 1;
});
