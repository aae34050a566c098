import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { measureResult } from '../../activities/backends/backend.ts';
import type * as Simulator from '../../activities/backends/simulator/simulator.ts';
import type * as Analyses from '../../shared/tasks/analyses.ts';
import type * as Catalog from '../../shared/tasks/catalog.ts';
import { type Copy, copyOf, type Step, stepsOf } from '../support/followed-pages.ts';
import { at, datasetOf, quiet, requestOf } from '../support/measured.ts';

/** A copy of what tasks stand on and of the simulator, in which the page is followed. */
let copy: Copy;
let steps: Step[];

beforeAll(async () => {
  steps = await stepsOf('adding-a-task.md');
  copy = await copyOf(['shared', 'activities'], ['shared/tasks', 'activities/backends/simulator']);
});
afterAll(() => copy.remove());

const inScratch = (path: string) => import(pathToFileURL(join(copy.directory, path)).href);

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
  for (const step of [definition, analysis, simulation, catalog]) await copy.follow(step);
  const missing = await copy.typeErrors();
  expect(missing).toMatch(/analyses\.ts.*CheckGroundSignal/s);
  expect(missing).toMatch(/simulations\.ts.*CheckGroundSignal/s);
  await copy.follow(analyses);
  const places = (await copy.typeErrors())
    .split('\n')
    .flatMap((line) => /^([^\s(]+)\(\d/.exec(line)?.[1] ?? []);
  expect([...new Set(places)]).toEqual(['shared/tasks/simulations.ts']);
  await copy.follow(simulations);
  expect(await copy.typeErrors()).toBe('');

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
