import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { measureResult } from '../../activities/backends/backend.ts';
import type * as Simulator from '../../activities/backends/simulator/simulator.ts';
import type * as Analyses from '../../shared/tasks/analyses.ts';
import type * as Catalog from '../../shared/tasks/catalog.ts';
import { at, datasetOf, quiet, requestOf } from '../support/measured.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const TYPESCRIPT = join(root, 'node_modules', '@typescript', 'native', 'bin', 'tsc');

interface Step {
  path: string;
  kind: string;
  text: string;
}

/** A copy of what tasks stand on and of the simulator, in which the page is followed. */
let scratch: string;
let steps: Step[];

beforeAll(async () => {
  const page = await readFile(join(root, 'docs/adding-a-task.md'), 'utf8');
  const blocks = /^`(shared\/[^`]+)`\n\n```(ts|diff)\n([\s\S]*?)^```$/gm;
  steps = [...page.matchAll(blocks)].map(([, path = '', kind = '', text = '']) => ({ path, kind, text }));
  scratch = await mkdtemp(join(tmpdir(), 'calibron-task-'));
  for (const name of ['shared', 'activities', 'package.json']) {
    await cp(join(root, name), join(scratch, name), { recursive: true });
  }
  await symlink(join(root, 'node_modules'), join(scratch, 'node_modules'));
  const { compilerOptions } = JSON.parse(await readFile(join(root, 'tsconfig.json'), 'utf8'));
  const checked = {
    // What was right before a step and imports nothing of it is not checked again.
    compilerOptions: { ...compilerOptions, incremental: true, tsBuildInfoFile: 'types.json' },
    include: ['shared/tasks', 'activities/backends/simulator'],
  };
  await writeFile(join(scratch, 'tsconfig.json'), JSON.stringify(checked));
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

/** Does what a step says: writes its file, or puts each added line behind the line before it. */
async function follow({ path, kind, text }: Step): Promise<void> {
  const file = join(scratch, path);
  if (kind === 'ts') {
    await mkdir(dirname(file), { recursive: true });
    return writeFile(file, text);
  }
  const lines = (await readFile(file, 'utf8')).split('\n');
  let place = 0;
  for (const line of text.split('\n').filter((each) => each !== '')) {
    if (line.startsWith('+')) {
      lines.splice(place, 0, line.slice(1));
      place += 1;
    } else {
      place = lines.indexOf(line.slice(1), place) + 1;
      expect(place, `${path} has the line ${line}`).toBeGreaterThan(0);
    }
  }
  await writeFile(file, lines.join('\n'));
}

/** What the compiler says of the copy; empty when nothing. */
async function typeErrors(): Promise<string> {
  try {
    await run(process.execPath, [TYPESCRIPT, '--noEmit', '-p', scratch], { cwd: scratch });
    return '';
  } catch (thrown) {
    return z.object({ stdout: z.string() }).parse(thrown).stdout;
  }
}

const inScratch = (path: string) => import(pathToFileURL(join(scratch, path)).href);

test('whoever follows the page adds a task that is checked, measured and analysed', async () => {
  expect(steps.map(({ path }) => path)).toEqual([
    'shared/tasks/ground-signal/definition.ts',
    'shared/tasks/ground-signal/analysis.ts',
    'shared/tasks/ground-signal/simulation.ts',
    'shared/tasks/catalog.ts',
    'shared/tasks/analyses.ts',
    'shared/tasks/simulations.ts',
  ]);
  const [definition, analysis, simulation, catalog, analyses, simulations] = steps;
  if (!definition || !analysis || !simulation || !catalog || !analyses || !simulations)
    throw new Error('no steps');
  for (const step of [definition, analysis, simulation, catalog]) await follow(step);
  const missing = await typeErrors();
  expect(missing).toMatch(/analyses\.ts.*CheckGroundSignal/s);
  expect(missing).toMatch(/simulations\.ts.*CheckGroundSignal/s);
  await follow(analyses);
  const places = (await typeErrors()).split('\n').flatMap((line) => /^([^\s(]+)\(\d/.exec(line)?.[1] ?? []);
  expect([...new Set(places)]).toEqual(['shared/tasks/simulations.ts']);
  await follow(simulations);
  expect(await typeErrors()).toBe('');

  const { createSimulator }: typeof Simulator = await inScratch('activities/backends/simulator/simulator.ts');
  const { findTask }: typeof Catalog = await inScratch('shared/tasks/catalog.ts');
  const { analyse }: typeof Analyses = await inScratch('shared/tasks/analyses.ts');
  const task = findTask('CheckGroundSignal');
  if (!task) throw new Error('the catalog has no CheckGroundSignal');
  const simulator = createSimulator({ seed: 'a new task', now: () => at });
  const inputs = simulator.startValues('chip', '0', at);
  const request = requestOf(task, '0', inputs);
  const dataset = datasetOf(measureResult.parse(await simulator.measure(request, quiet())), '0');
  const found = analyse({ task, qid: '0', dataset, inputs, runParameters: request.run_parameters });
  expect(found).toMatchObject({ r2: null, figures: [expect.anything()] });
  const { value, error } = found.outputs['ground_signal'] ?? { value: 0, error: 0 };
  expect(value).toBeGreaterThan(10 * error);
  expect(error).toBeGreaterThan(0);
});
