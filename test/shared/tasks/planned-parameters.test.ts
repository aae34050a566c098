import { expect, test } from 'vitest';
import { planTask } from '../../../activities/planning.ts';
import { findTask } from '../../../shared/tasks/catalog.ts';
import { addedParameters, undeclaredParameters } from '../../../shared/tasks/planned-parameters.ts';

const t1 = findTask('CheckT1');
if (!t1) throw new Error('there is no CheckT1');
const [first = ''] = Object.keys(t1.runParameters);
const { [first]: renamed, ...others } = t1.runParameters;
if (!renamed) throw new Error('CheckT1 has no run parameter');
/** A release in which the first run parameter has another name. */
const renaming = { ...t1, runParameters: { ...others, another_name: renamed } };

test('a plan of the same release has all run parameters, and those that only a backend knows are ignored', () => {
  const { run_parameters } = planTask(t1, [{ gain_of_the_lab: 3 }]).task;
  expect(run_parameters).toHaveProperty('gain_of_the_lab');
  expect(undeclaredParameters(t1, run_parameters)).toEqual([]);
  expect(addedParameters(t1, run_parameters)).toEqual({});
});

test('a run parameter that a release has renamed is reported, and the new one has the value of the catalog', () => {
  const { run_parameters } = planTask(t1, []).task;
  expect(undeclaredParameters(renaming, run_parameters)).toEqual([first]);
  expect(addedParameters(renaming, run_parameters)).toEqual({ another_name: run_parameters[first] });
});
