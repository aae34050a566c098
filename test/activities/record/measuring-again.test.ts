import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { decodeNetcdf } from '../../../shared/science/datasets/netcdf.ts';
import { type Laboratory, oneStage, openLaboratory } from '../../support/laboratory.ts';

let lab: Laboratory;
beforeAll(async () => {
  lab = await openLaboratory();
  await lab.startWorker();
});
afterAll(() => lab.close());

test('a task measures again with the settings that its fit asks for, and keeps the data of both passes', async () => {
  const place = await lab.newProject();
  // From 0.1 to 2 us, in which a qubit hardly decays.
  const options = ', run_parameters: { time_range: [2, 3.3, 51] }';
  const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0'], options));
  await lab.ended(place.projectId, run.execution_id);
  const [row] = await lab.tasksOf(place.projectId, run.execution_id);
  expect(row?.message).toMatch(
    /^CheckT1 is completed\.( It measured again because the decay is longer than the sweep of [\d.]+ us\.){1,2}$/,
  );
  const passes = row?.passes ?? [];
  expect(passes.length).toBeGreaterThan(0);
  expect(new Set(row?.raw_data_path).size).toBe(passes.length + 1);
  const [, last] = z.tuple([z.number(), z.number(), z.number()]).parse(row?.run_parameters.time_range?.value);
  expect(last).toBeCloseTo(3.3 + passes.length);
  const { t1 } = lab.simulator.truth(place.chipId, '0', new Date());
  const found = z.number().parse(row?.output_parameters.t1?.value);
  expect(found / t1).toBeGreaterThan(0.5);
  expect(found / t1).toBeLessThan(2);

  const files = row?.raw_data_path.map((path) => decodeNetcdf(readFileSync(path)).attributes) ?? [];
  const ends = files.map(({ measurement_pass, status }) => [measurement_pass, status]);
  expect(ends.at(0)).toEqual([0, 'measured again']);
  expect(ends.at(-1)).toEqual([passes.length, 'completed']);
  expect(files[0]?.run_parameters).toContain('[2,3.3,51]');
  expect(JSON.parse(String(files.at(-1)?.output_parameters))).toMatchObject({
    t1: { value: found, unit: row?.output_parameters.t1?.unit, error: row?.output_parameters.t1?.error },
  });
});
