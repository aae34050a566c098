/**
 * `npm run mutate` changes the rules in thousands of small ways, called mutants, and reports which of them no unit test notices.
 * Stryker makes the mutants. After `--`, parts of paths choose files: `npm run mutate -- domain/runs/ tasks/gates`.
 */
import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import { packageRoot } from '../../shared/kernel/package-root.ts';
import { createTable, type Judgement, judge, type Mutant } from './judging.ts';
import { RESULTS, type ResultsOfFile, SOURCES } from './results.ts';

const root = fileURLToPath(packageRoot);
/** Pure rules. Those of `metrics/totals.ts` are in its queries, which only a store can answer. */
const RULES =
  /^(shared\/domain\/.*rules|shared\/tasks\/(gates|plausibility)|shared\/kernel\/command-turns|activities\/record\/trailing-writes)\.ts$/;
/** Percentage of mutants that the tests must notice, in each file. */
const FLOOR = 85;

/** Instrumented sources are code that runs like the original until a mutant is chosen. */
async function instrument(paths: readonly string[], into: string): Promise<readonly Mutant[]> {
  const log = () => {};
  const logger = { trace: log, debug: log, info: log, warn: log, error: log, fatal: log };
  const isOff = () => false;
  const instrumenter = new Instrumenter({
    ...logger,
    isTraceEnabled: isOff,
    isDebugEnabled: isOff,
    isInfoEnabled: isOff,
    isWarnEnabled: isOff,
    isErrorEnabled: isOff,
    isFatalEnabled: isOff,
  });
  const sources = await Promise.all(
    paths.map(async (name) => ({ name, mutate: true, content: await readFile(join(root, name), 'utf8') })),
  );
  const made = await instrumenter.instrument(sources, { plugins: null, excludedMutations: [], ignorers: [] });
  for (const { name, content } of made.files) {
    await mkdir(dirname(join(into, name)), { recursive: true });
    await writeFile(join(into, name), content);
  }
  return made.mutants;
}

/** Runs the unit tests that import one of the files. @returns false if one fails without any mutant */
async function runTests(paths: readonly string[], sources: string, results: string): Promise<boolean> {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const config = join(root, 'scripts/mutation/vitest.config.ts');
  const child = spawn(process.execPath, [vitest, 'related', ...paths, '--run', '--config', config], {
    cwd: root,
    env: { ...process.env, [SOURCES]: sources, [RESULTS]: results },
    stdio: 'inherit',
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code === 0));
  });
}

async function resultsIn(directory: string): Promise<ResultsOfFile[]> {
  const names = await readdir(directory);
  return Promise.all(
    names.map(
      async (name): Promise<ResultsOfFile> => JSON.parse(await readFile(join(directory, name), 'utf8')),
    ),
  );
}

function print({ survivors, scores, unstable }: Judgement): void {
  for (const { fileName, location, replacement, isReached } of survivors) {
    const line = location.start.line + 1;
    console.log(
      `${fileName}:${line} ${isReached ? 'survived' : 'not reached'}: ${replacement.replace(/\s+/g, ' ')}`,
    );
  }
  console.log(`\n${createTable(scores)}`);
  for (const name of unstable)
    console.log(`Its results mean nothing, because mutants change its state: ${name}`);
}

async function main(): Promise<number> {
  const parts = process.argv.slice(2);
  const { stdout } = await promisify(execFile)(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard'],
    {
      cwd: root,
      maxBuffer: 2 ** 24,
    },
  );
  const paths = stdout
    .split('\n')
    .filter((path) => RULES.test(path) && (parts.length === 0 || parts.some((part) => path.includes(part))));
  const directory = await mkdtemp(join(tmpdir(), 'calibron-mutation-'));
  try {
    const [sources, results] = [join(directory, 'sources'), join(directory, 'results')];
    await mkdir(results);
    const mutants = await instrument(paths, sources);
    const arePassed = await runTests(paths, sources, results);
    const judgement = judge(mutants, await resultsIn(results));
    print(judgement);
    return arePassed && judgement.scores.every(({ score }) => score === null || score >= FLOOR) ? 0 : 1;
  } finally {
    await rm(directory, { recursive: true });
  }
}

process.exitCode = await main();
