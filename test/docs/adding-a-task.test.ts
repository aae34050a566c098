import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { measureResult } from '../../activities/backends/backend.ts';
import type * as Simulator from '../../activities/backends/simulator/simulator.ts';
import type * as Analyses from '../../shared/tasks/analyses.ts';
import type * as Catalog from '../../shared/tasks/catalog.ts';
import { runOfNextPass } from '../../shared/tasks/next-pass.ts';
import { coverageSeeds, expectHonestErrors } from '../support/coverage-rules.ts';
import { type Copy, copyOf, type Step, stepsOf } from '../support/followed-pages.ts';
import { at, datasetOf, quiet, requestOf } from '../support/measured.ts';

/** A copy of what tasks use and of the simulator, in which the page is followed. */
let copy: Copy;
let steps: Step[];

beforeAll(async () => {
  steps = await stepsOf('adding-a-task.md');
  copy = await copyOf(['shared', 'activities'], ['shared/tasks', 'activities/backends/simulator']);
});
afterAll(() => copy.remove());

const inScratch = (path: string) => import(pathToFileURL(join(copy.directory, path)).href);

test('a reader who follows the page adds a task that is checked, measured and analysed', async () => {
  expect(steps.map(({ path }) => path)).toEqual([
    'shared/tasks/relaxation/definition.ts',
    'shared/tasks/relaxation/analysis.ts',
    'shared/tasks/relaxation/simulation.ts',
    'shared/tasks/catalog.ts',
    'shared/tasks/analyses.ts',
    'shared/tasks/simulations.ts',
  ]);
  const [definition, analysis, simulation, catalog, analyses, simulations] = steps;
  if (!definition || !analysis || !simulation || !catalog || !analyses || !simulations)
    throw new Error('no steps');
  const misspelt = { ...definition, text: definition.text.replace("unit: 'us'", "unit: 'usecs'") };
  for (const step of [misspelt, analysis, simulation, catalog]) await copy.follow(step);
  expect(await copy.typeErrors()).toMatch(/relaxation\/definition\.ts.*"usecs"/);
  await copy.follow(definition);
  const missing = await copy.typeErrors();
  expect(missing).toMatch(/analyses\.ts.*CheckRelaxation/s);
  expect(missing).toMatch(/simulations\.ts.*CheckRelaxation/s);
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
  const task = findTask('CheckRelaxation');
  if (!task) throw new Error('the catalog has no CheckRelaxation');
  const measured = async (seed: string, changes: Parameters<typeof requestOf>[3] = {}) => {
    const simulator = createSimulator({ seed, now: () => at });
    const inputs = simulator.startValues('chip', '0', at);
    const request = requestOf(task, '0', inputs, changes);
    const dataset = datasetOf(measureResult.parse(await simulator.measure(request, quiet())), '0');
    const { t1 } = simulator.truthOf(request, '0', at);
    const runParameters = request.run_parameters;
    return { found: analyse({ task, qid: '0', dataset, inputs, runParameters }), t1, runParameters };
  };
  const deviations: number[] = [];
  for (let seed = 0; seed < coverageSeeds(100); seed += 1) {
    const { found, t1 } = await measured(`a new task ${seed}`);
    // A qubit that lives longer than the sweep is measured again.
    if (found.again) continue;
    expect(found.figures).toHaveLength(1);
    const { value, error } =
      found.outputs['relaxation_time'] ?? expect.fail(`seed ${seed}: ${found.refused}`);
    deviations.push((value - t1) / error);
  }
  expectHonestErrors(deviations);

  // A sweep that is too short asks for a longer one, which finds the value.
  const { t1, runParameters } = await measured('a new task 0');
  const short = {
    ...runParameters,
    time_range: { ...runParameters['time_range'], value: [0, t1 * 500, 51] },
  };
  const first = await measured('a new task 0', { run_parameters: short as typeof runParameters });
  const { again } = first.found;
  expect(first.found).toMatchObject({ outputs: {}, refused: again?.reason });
  expect(again?.reason).toContain('the decay is not over');
  const second = await measured('a new task 0', {
    run_parameters: runOfNextPass(short as typeof runParameters, again ?? { run: {} }),
  });
  expect(second.found.refused).toBeUndefined();
  const { value, error } = second.found.outputs['relaxation_time'] ?? expect.fail('no value');
  expect(Math.abs(value - t1)).toBeLessThan(5 * error);
});
