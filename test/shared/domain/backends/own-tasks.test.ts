import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newCommand, planTask } from '../../../../activities/planning.ts';
import { createPlans } from '../../../../activities/record/plans.ts';
import { newId, newProjectId } from '../../../../shared/kernel/new-ids.ts';
import { findTask } from '../../../../shared/tasks/catalog.ts';
import { type OwnTask, readOwnTask } from '../../../../shared/tasks/own-tasks.ts';
import { backendProblem } from '../../../../shared/tasks/run-options.ts';
import { executionNamed } from '../../../support/ids.ts';
import { type Laboratory, openLaboratory, runOf } from '../../../support/laboratory.ts';

const MINUTE = 60_000;
const begin = new Date('2026-11-27T10:00:00Z');
const after = (minutes: number) => new Date(begin.getTime() + minutes * MINUTE);
const [member, stranger] = [newProjectId(), newProjectId()];

let lab: Laboratory;
beforeAll(async () => {
  lab = await openLaboratory();
  await mkdir(lab.settings.CONFIG_PATH, { recursive: true });
  const backends = { simulator: {}, 'fridge-1': { projects: [member] }, 'fridge-2': { projects: [member] } };
  await writeFile(join(lab.settings.CONFIG_PATH, 'backends.json'), JSON.stringify({ backends }));
});
afterAll(() => lab?.close());

function task(name: string, r2_threshold = 0.5): OwnTask {
  const read = readOwnTask(name, '', { type: 'qubit', outputs: { lab_slope: { unit: 'us' } }, r2_threshold });
  return typeof read === 'string' ? expect.fail(read) : read;
}

const namesFor = async (project = member) =>
  (await lab.areas.backends.ownTasksOf(project)).map(({ name }) => name);

test('a declared task is known in the projects that may use its backend, until workers leave it out for long', async () => {
  const { backends } = lab.areas;
  await backends.noteOwnTasks('fridge-1', [], begin);
  expect(await namesFor()).toEqual([]);
  await backends.noteOwnTasks('fridge-1', [task('LabSlope'), task('LabNoise')], begin);
  expect(await namesFor()).toEqual(['LabNoise', 'LabSlope']);
  expect(await namesFor(stranger)).toEqual([]);
  expect((await backends.tasksOf(stranger)).find('LabSlope')).toBeUndefined();
  expect((await backends.listing([stranger])).definitions('fridge-1')).toEqual([]);
  expect((await backends.offers(member))['fridge-1']?.tasks).toContain('LabSlope');
  // Another worker of the backend may still serve it.
  await backends.noteOwnTasks('fridge-1', [task('LabNoise')], after(9));
  expect(await namesFor()).toEqual(['LabNoise', 'LabSlope']);
  await backends.noteOwnTasks('fridge-1', [], after(12));
  expect(await namesFor()).toEqual(['LabNoise']);
  await backends.noteOwnTasks('fridge-1', [], after(20));
  expect(await namesFor()).toEqual([]);
});

test('a run keeps the declaration with which its stage was planned', async () => {
  const { backends, executions } = lab.areas;
  await backends.noteOwnTasks('fridge-2', [task('LabSlope', 0.5)], begin);
  const planned = (await backends.tasksOf(member)).find('LabSlope', 'fridge-2') ?? expect.fail('no task');
  const place = { projectId: member, chipId: 'A16' };
  const run = {
    ...runOf(place, executionNamed('20261127-001')),
    backend: 'fridge-2',
    epoch: 1,
    flow_run_id: newId(),
  };
  const stage = { kind: 'stage', name: 'own', tasks: [{ name: 'LabSlope' }], targets: ['0'] } as const;
  const command = { ...stage, tasks: [...stage.tasks], targets: [...stage.targets] };
  await executions.commands.plan(newCommand(run, 0, command, [planTask(planned, []).task]));
  await backends.noteOwnTasks('fridge-2', [task('LabSlope', 0.9)], after(1));
  expect((await backends.tasksOf(member)).find('LabSlope', 'fridge-2')?.r2Threshold).toBe(0.9);
  const plans = createPlans({ areas: lab.areas, findTask });
  const plan = await plans.of(run, 0);
  expect(plans.missing(plan, 0)).toBeNull();
  expect(plans.task(plan, 0)?.definition).toEqual(planned);
  expect(planned.r2Threshold).toBe(0.5);
  expect(backendProblem(planned, run)).toBeNull();
  expect(backendProblem(planned, { backend: 'simulator' })).toBe(
    'LabSlope is a task of the backend fridge-2, and this run measures on simulator.',
  );
});
