import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { decodeNetcdf } from '../../../shared/science/datasets/netcdf.ts';
import { commonLaboratory } from '../../support/common-laboratory.ts';
import { type Laboratory, oneStage } from '../../support/laboratory.ts';

let lab: Laboratory;
beforeAll(async () => {
  lab = await commonLaboratory();
});

test('a task measures again with the settings that its fit asks for, and keeps the data of both passes', async () => {
  const place = await lab.newProject();
  // From 0.1 to 2 us, in which a qubit hardly decays.
  const options = ', run_parameters: { time_range: [2, 3.3, 51] }';
  const run = await lab.startFlow(place, oneStage(['CheckT1'], ['0'], options));
  await lab.ended(place.projectId, run.execution_id);
  const [row] = await lab.tasksOf(place.projectId, run.execution_id);
  expect(row?.message).toMatch(
    /^CheckT1 is completed\. It measured again because the decay is longer than the sweep of [\d.]+ us(, and once more because the decay is longer than the sweep of [\d.]+ us)?\.$/,
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

  const files =
    row?.raw_data_path.map((path) => decodeNetcdf(readFileSync(lab.pathOf(path))).attributes) ?? [];
  const ends = files.map(({ measurement_pass, status }) => [measurement_pass, status]);
  expect(ends.at(0)).toEqual([0, 'measured again']);
  expect(ends.at(-1)).toEqual([passes.length, 'completed']);
  expect(files[0]?.run_parameters).toContain('[2,3.3,51]');
  expect(JSON.parse(String(files.at(-1)?.output_parameters))).toMatchObject({
    t1: { value: found, unit: row?.output_parameters.t1?.unit, error: row?.output_parameters.t1?.error },
  });
});

test('a multiplexer is measured again for those of its qubits whose fit asks for it, and each task counts once', async () => {
  const place = await lab.newProject({ blank: true });
  await lab.setFaults({
    rules: [],
    defects: [{ defect: 'no_resonator', chip_id: place.chipId, qids: ['2'] }],
  });
  // A line that is not seen may be too narrow for the sweep.
  const list = oneStage(['CheckResonatorSpectroscopy'], ['0', '1', '2', '3']);
  const run = await lab.startFlow(place, list);
  const execution = await lab.ended(place.projectId, run.execution_id);
  await lab.setFaults({ rules: [] });
  const rows = await lab.tasksOf(place.projectId, run.execution_id);
  const missing = rows.find(({ qid }) => qid === '2');
  expect(missing?.status).toBe('failed');
  expect(missing?.message).toMatch(
    /the one of qubit 2 is missing\. It measured again because lines much narrower than the 2\.0 MHz between two points are not resolved\.$/,
  );
  expect(missing?.passes).toHaveLength(1);
  expect(new Set(missing?.raw_data_path).size).toBe(2);
  expect(missing?.run_parameters['frequency_range']?.value).toEqual([9.75, 10.75, 0.0005]);
  const others = rows.filter(({ qid }) => qid !== '2');
  const completed = others.filter(({ status }) => status === 'completed');
  expect(completed.length).toBeGreaterThan(0);
  expect(completed.every(({ passes = [] }) => passes.length === 0)).toBe(true);
  expect(execution.message).toContain(
    `${completed.length} of 4 tasks completed, ${4 - completed.length} failed`,
  );
  const journal = await lab.journal(place.projectId, run.execution_id);
  const starts = journal.filter(({ event }) => event === 'start');
  expect(starts.length).toBe(2);
});

async function measuredT1(place: Awaited<ReturnType<Laboratory['newProject']>>) {
  const run = await lab.startTask(place, 'CheckT1', '0');
  await lab.ended(place.projectId, run.execution_id);
  await lab.free(place.projectId);
  const [row] = await lab.tasksOf(place.projectId, run.execution_id);
  return row ?? expect.fail('no row');
}

describe('a value that does not match what is known', () => {
  test('is measured a second time and believed with a warning when both agree', async () => {
    const place = await lab.newProject();
    const first = await measuredT1(place);
    expect(first.message).toBe('CheckT1 is completed.');
    await lab.setFaults({
      rules: [{ match: {}, behaviour: 'lie', lie: { factor: 0.1, r2: 0.99, errors: true } }],
    });
    const moved = await measuredT1(place);
    await lab.setFaults({ rules: [] });
    expect(moved.status).toBe('completed');
    expect(moved.message).toMatch(
      /^CheckT1 is completed\. Warning: t1 is [\d.]+ ± [\d.]+ us after [\d.]+ ± [\d.]+ us \d+ min before, [\d.]+ times what errors and drift explain; a second measurement agrees\. It measured again because t1 is /,
    );
    expect(moved.passes).toMatchObject([{ doubted: { t1: {} } }]);
    const qubit = await lab.areas.chips.state.read(place.projectId, place.chipId, 'qubit', '0');
    expect(qubit?.data['t1']?.value).toBe(moved.output_parameters.t1?.value);
  });

  test('is not among the outputs in the raw data file of the doubted measurement', async () => {
    const place = await lab.newProject();
    await measuredT1(place);
    await lab.setFaults({ rules: [], defects: [{ defect: 'short_t1', chip_id: place.chipId, qids: ['0'] }] });
    const moved = await measuredT1(place);
    await lab.setFaults({ rules: [] });
    expect(moved.passes?.filter(({ doubted }) => doubted)).toHaveLength(1);
    const doubted = moved.passes?.find((pass) => pass.doubted)?.raw_data_path ?? [];
    const [file] = doubted.map((path) => decodeNetcdf(readFileSync(lab.pathOf(path))).attributes);
    expect(file).toMatchObject({ status: 'measured again', output_parameters: '{}' });
  });

  test.each([
    {
      // Without errors, passes agree within what coherence times scatter.
      errors: false,
      second:
        'A second measurement agrees, so what it was compared with may be wrong: measure that again, or set it\\.',
    },
    // The values are 40 times too long, and their errors are not, so that two of them lie many errors apart.
    {
      errors: true,
      second: 'The measurement before gave t2_echo of [\\d.]+ ± [\\d.]+ us, which does not agree\\.',
    },
  ])(
    'is refused where physics forbids it, and leaves what was known: $second',
    async ({ errors, second }) => {
      const place = await lab.newProject();
      const list = oneStage(['CheckT1', 'CheckT2Echo'], ['0']);
      await lab.setFaults({
        rules: [
          {
            match: { project_id: place.projectId, task_name: 'CheckT2Echo' },
            behaviour: 'lie',
            lie: { factor: 40, r2: 0.99, errors },
          },
        ],
      });
      const run = await lab.startFlow(place, list);
      await lab.ended(place.projectId, run.execution_id);
      await lab.setFaults({ rules: [] });
      const rows = await lab.tasksOf(place.projectId, run.execution_id);
      const row = rows.find(({ name }) => name === 'CheckT2Echo');
      expect(row?.status).toBe('failed');
      expect(row?.message).toMatch(
        new RegExp(
          `^CheckT2Echo found what does not match what is known: t2_echo of [\\d.]+( ± [\\d.]+)? us is more than twice the t1 of [\\d.]+ ± [\\d.]+ us of \\d+ min before\\. ${second} It measured again because`,
        ),
      );
      expect(row?.passes).toHaveLength(1);
      expect(row?.output_parameters).toEqual({});
      const qubit = await lab.areas.chips.state.read(place.projectId, place.chipId, 'qubit', '0');
      expect(qubit?.data['t2_echo']).toBeUndefined();
    },
  );
});
