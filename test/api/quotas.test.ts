import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Api, expectError, type Person, startApi } from './harness.ts';
import { code, type Laboratory, makeLaboratory } from './laboratory.ts';

let api: Api;
let owner: Person;
let laboratory: Laboratory;

beforeAll(async () => {
  api = await startApi({
    engine: 'prepared',
    environment: { FLOWS_PER_PROJECT: '2', SCHEDULES_PER_PROJECT: '2' },
  });
  owner = await api.makePerson();
  laboratory = await makeLaboratory(api, owner, await api.makePerson());
});
afterAll(() => api.close());

test('a project has as many flows as the setting says; one that is there can still be saved', async () => {
  const save = (name: string) =>
    laboratory.as('/flows', {
      method: 'POST',
      body: { name, code, chip_id: 'CHIP', flow_function_name: 'rabi' },
    });
  expect(await save('second')).toMatchObject({ status: 200 });
  expect(expectError(await save('third'), 409, 'quota_exceeded')).toBe(
    'This project has 2 flows; the limit is 2. Delete what is not needed, or ask an operator to raise FLOWS_PER_PROJECT.',
  );
  expect(await save('second')).toMatchObject({ status: 200 });
  await laboratory.as('/flows/second', { method: 'DELETE' });
  expect(await save('third')).toMatchObject({ status: 200 });
});

test('a project has as many schedules as the setting says, and another project its own', async () => {
  const schedule = (year: number) =>
    laboratory.as('/flows/rabi/schedule', {
      method: 'POST',
      body: { scheduled_time: `${year}-01-01T00:00:00Z` },
    });
  expect(await schedule(2091)).toMatchObject({ status: 200 });
  expect(await schedule(2092)).toMatchObject({ status: 200 });
  expect(expectError(await schedule(2093), 409, 'quota_exceeded')).toContain('SCHEDULES_PER_PROJECT');
  const other = await makeLaboratory(api, owner, await api.makePerson());
  const body = { scheduled_time: '2091-01-01T00:00:00Z' };
  expect(await other.as('/flows/rabi/schedule', { method: 'POST', body })).toMatchObject({ status: 200 });
});
