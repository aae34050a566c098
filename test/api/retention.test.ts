import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Retention, retention, retentionOutcome } from '../../shared/domain/retention/model.ts';
import { type Api, expectError, type Person, read } from './harness.ts';
import { openSharedProject } from './opened-project.ts';

let api: Api;
let owner: Person;
let viewer: Person;
let project: string;
beforeAll(async () => {
  ({ api, owner, viewer, project } = await openSharedProject());
});
afterAll(() => api.close());

const ask = (person: Person, method: 'GET' | 'PUT', body?: unknown) =>
  api.as(person, project)(`/projects/${project}/retention`, { method, body });

test('the owner sets how long files are kept, everybody in the project sees it, and a preview deletes nothing', async () => {
  const none: Retention = {
    ...{ max_age_days: null, max_gib: null, updated_by: null, updated_at: null },
    ...{ last_round_at: null, last_outcome: null },
  };
  expect(read(retention, await ask(viewer, 'GET'))).toEqual(none);
  const rule = { max_age_days: 180, max_gib: 0.5 };
  const preview = await api.as(viewer, project)(`/projects/${project}/retention/preview`, {
    method: 'POST',
    body: rule,
  });
  expect(read(retentionOutcome, preview)).toMatchObject({ runs: 0, files: 0, bytes: 0, oldest: null });
  expectError(await ask(viewer, 'PUT', rule), 403, 'forbidden');
  const set = read(retention, await ask(owner, 'PUT', rule));
  expect(set).toMatchObject({ ...rule, updated_by: owner.username, last_round_at: null });
  expect(read(retention, await ask(viewer, 'GET'))).toEqual(set);
  for (const wrong of [
    { max_age_days: 0, max_gib: null },
    { max_age_days: 1 },
    { max_age_days: null, max_gib: -1 },
  ]) {
    expect((await ask(owner, 'PUT', wrong)).status).toBe(422);
  }
});
