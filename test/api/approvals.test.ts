import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApprovalDocument, approval, approvalList } from '../../shared/domain/approvals/model.ts';
import { keyOf, type ProjectId } from '../../shared/kernel/ids.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { executionNamed } from '../support/ids.ts';
import { type Api, expectError, expectProblems, type Person, read } from './harness.ts';
import { openSharedProject } from './opened-project.ts';

let api: Api;
let owner: Person;
let viewer: Person;
let project: ProjectId;

beforeAll(async () => {
  ({ api, owner, viewer, project } = await openSharedProject({ engine: 'prepared' }));
});
afterAll(() => api.close());

let number = 0;

/** A question of a run that has ended meanwhile, so that nobody need be woken. */
async function ask(fields: Partial<ApprovalDocument> = {}): Promise<string> {
  number += 1;
  const place = {
    project_id: project,
    execution_id: executionNamed('20260102-003'),
    index: number,
    ...fields,
  };
  await api.database.db.collection<ApprovalDocument>('approvals').insertOne({
    _id: keyOf(place.project_id, place.execution_id, place.index),
    flow_run_id: newId(),
    question: 'Warm up?',
    options: ['yes', 'no'],
    default: 'no',
    deadline: new Date(Date.now() + 3_600_000),
    status: 'pending',
    answer: null,
    answered_by: null,
    answered_at: null,
    created_at: new Date(Date.UTC(2026, 0, 2, 0, number)),
    ...place,
  });
  return `${place.execution_id}-${place.index}`;
}

const answer = (id: string, body: unknown, person = owner) =>
  api.as(person, project)(`/approvals/${id}`, { method: 'POST', body });
const list = (query: Record<string, string> = {}, person = owner) =>
  api.as(person, project)('/approvals', { query });

test('a question is answered once, by name', async () => {
  const id = await ask();
  expect(read(approval, await answer(id, { answer: 'yes' }))).toMatchObject({
    approval_id: id,
    execution_id: '20260102-003',
    question: 'Warm up?',
    options: ['yes', 'no'],
    default: 'no',
    status: 'answered',
    answer: 'yes',
    answered_by: owner.username,
    answered_at: expect.stringMatching(/Z$/),
  });
  expect(expectError(await answer(id, { answer: 'no' }), 409, 'already_answered')).toBe(
    `${owner.username} has answered this question with "yes".`,
  );
});

test('the same answer of the same person again is 200 and changes nothing; any other is 409', async () => {
  const id = await ask();
  const first = read(approval, await answer(id, { answer: 'yes' }));
  expect(read(approval, await answer(id, { answer: 'yes' }))).toEqual(first);
  expectError(await answer(id, { answer: 'no' }), 409, 'already_answered');
  const colleague = await api.makePerson();
  await api.addMember(project, colleague, 'editor');
  expectError(await answer(id, { answer: 'yes' }, colleague), 409, 'already_answered');
});

test('an answer must be one of the options', async () => {
  const id = await ask();
  expectProblems(await answer(id, { answer: 'perhaps' }), [['enum', 'body', 'answer']]);
  expectProblems(await answer(id, {}), [['missing', 'body', 'answer']]);
  expect(read(approval, await answer(id, { answer: 'no' })).answer).toBe('no');
});

test('an answer after the deadline, or to a question that was withdrawn, comes too late', async () => {
  const late = await ask({ deadline: new Date(Date.now() - 1000) });
  expect(expectError(await answer(late, { answer: 'yes' }), 409, 'already_answered')).toContain('deadline');
  const expired = await ask({ status: 'expired', answer: 'no' });
  expectError(await answer(expired, { answer: 'yes' }), 409, 'already_answered');
  const withdrawn = await ask({ status: 'withdrawn' });
  expect(expectError(await answer(withdrawn, { answer: 'yes' }), 409, 'already_answered')).toContain('ended');
});

test('unknown, malformed and foreign ids are 404', async () => {
  const other = await api.makeProject(owner);
  const foreign = await ask({ project_id: other, execution_id: executionNamed('20260102-777') });
  for (const id of [foreign, '20260102-003-9999', 'x', '20260102-003', newId()]) {
    expectError(await answer(id, { answer: 'yes' }), 404, 'not_found');
  }
});

test('an id is written in one way only', async () => {
  const execution_id = '20260104-000';
  for (const index of [0, 12]) await ask({ execution_id: executionNamed(execution_id), index });
  for (const id of [`${execution_id}-00`, `${execution_id}-012`, `${execution_id}-+0`]) {
    expectError(await answer(id, { answer: 'yes' }), 404, 'not_found');
  }
});

test('questions are listed newest first, in pages, by status and execution', async () => {
  const ids = [];
  for (let index = 0; index < 3; index += 1)
    ids.unshift(await ask({ execution_id: executionNamed('20260103-000') }));
  const ofRun = { execution_id: executionNamed('20260103-000') };
  const all = read(approvalList, await list(ofRun, viewer));
  expect(all).toMatchObject({ total: 3, skip: 0, limit: 20 });
  expect(all.approvals.map(({ approval_id }) => approval_id)).toEqual(ids);
  await answer(ids[1] ?? '', { answer: 'yes' });
  const open = read(approvalList, await list({ ...ofRun, status: 'pending' }));
  expect(open.approvals.map(({ approval_id }) => approval_id)).toEqual([ids[0], ids[2]]);
  const page = read(approvalList, await list({ ...ofRun, skip: '1', limit: '1' }));
  expect([page.total, page.approvals[0]?.approval_id]).toEqual([3, ids[1]]);
  expect(read(approvalList, await list({ status: 'answered' })).total).toBeGreaterThan(0);
  expect(read(approvalList, await list()).total).toBeGreaterThan(3);
});

test('pages and statuses out of bounds are 422', async () => {
  expectProblems(await list({ limit: '101' }), [['less_than_equal', 'query', 'limit']]);
  expectProblems(await list({ limit: '0' }), [['greater_than_equal', 'query', 'limit']]);
  expectProblems(await list({ skip: '-1' }), [['greater_than_equal', 'query', 'skip']]);
  expectProblems(await list({ status: 'open' }), [['enum', 'query', 'status']]);
});

test('viewers read and editors answer, with a token', async () => {
  const id = await ask();
  expectError(await answer(id, { answer: 'yes' }, viewer), 403, 'forbidden');
  expectError(await api.call('/approvals'), 401, 'not_authenticated');
  expectError(await api.call(`/approvals/${id}`, { method: 'POST', body: {} }), 401, 'not_authenticated');
  const stranger = await api.makePerson();
  expectError(await list({}, stranger), 403, 'forbidden');
});
