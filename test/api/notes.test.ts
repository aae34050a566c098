import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { comment, notesSummary } from '../../shared/domain/notes/model.ts';
import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import { keyOf, type ProjectId } from '../../shared/kernel/ids.ts';
import { noteBody } from '../../shared/kernel/wire.ts';
import { taskNamed } from '../support/ids.ts';
import { type Api, expectError, expectProblems, type Person, read, startApi } from './harness.ts';
import { storedTask } from './laboratory.ts';
import { noteCalls } from './note-calls.ts';

let api: Api;
let owner: Person;
let viewer: Person;
let project: ProjectId;

beforeAll(async () => {
  api = await startApi();
  [owner, viewer] = await Promise.all([api.makePerson(), api.makePerson()]);
});
afterAll(() => api.close());
beforeEach(async () => {
  project = await api.makeProject(owner);
  await api.addMember(project, viewer, 'viewer');
  await ask('POST', '/chips', { chip_id: 'CHIP', size: 4 });
});

type Query = Record<string, string>;
const { ask, put, eventsOf } = noteCalls(() => api.as(owner, project));
const summaryOf = async (query: Query = {}) =>
  read(notesSummary, await ask('GET', '/chips/CHIP/notes-summary', undefined, query));
const noteOf = async (query: Query = {}) =>
  read(noteBody, await ask('GET', '/chips/CHIP/note', undefined, query));

const day = (number: number) => new Date(Date.UTC(2026, 0, number)).toISOString();
const during = (from: number, to: number) => ({ start_at: day(from), end_at: day(to) });
const none = { content: '', updated_by: '', updated_at: null };
const by = (content: string) => ({ content, updated_by: owner.username, updated_at: expect.any(String) });

async function cool(cooldown_id: string, from: number, to: number | null) {
  await ask('POST', '/cryostats', { cryo_id: cooldown_id });
  const made = await ask('POST', '/cooldowns', {
    cooldown_id,
    cryo_id: cooldown_id,
    started_at: day(from),
    ended_at: to === null ? null : day(to),
    chip_ids: ['CHIP'],
  });
  expect(made.status).toBe(201);
}

describe('the note of a chip', () => {
  test('is empty at first, then what was written, then empty again', async () => {
    expect(await noteOf()).toEqual(none);
    const written = read(noteBody, await put('/chips/CHIP/note', 'A good chip.'));
    expect(written).toEqual({ ...by('A good chip.'), updated_at: expect.stringMatching(/\.\d{3}Z$/) });
    expect(await noteOf()).toEqual(written);
    const chip = await ask('GET', '/chips/CHIP');
    expect(chip.body).toMatchObject({ note: written });
    expect((await ask('DELETE', '/chips/CHIP/note')).status).toBe(200);
    expect(await noteOf()).toEqual(by(''));
    expect((await ask('DELETE', '/chips/CHIP/note')).status).toBe(200);
  });

  test('is another one in each cool-down, and the current one counts where none is named', async () => {
    await put('/chips/CHIP/note', 'always');
    await cool('PAST', 1, 5);
    await cool('NOW', 6, null);
    expect(await noteOf()).toEqual(none);
    await put('/chips/CHIP/note', 'now');
    await put('/chips/CHIP/note', 'then', { cooldown_id: 'PAST' });
    expect((await noteOf()).content).toBe('now');
    expect((await noteOf({ cooldown_id: 'NOW' })).content).toBe('now');
    expect((await noteOf(during(2, 3))).content).toBe('then');
    await ask('PATCH', '/cooldowns/NOW', { ended_at: day(9) });
    expect((await noteOf()).content).toBe('always');
    await ask('DELETE', '/chips/CHIP/note', undefined, { cooldown_id: 'PAST' });
    expect(await noteOf({ cooldown_id: 'PAST' })).toEqual(none);
    expect((await noteOf({ cooldown_id: 'NOW' })).content).toBe('now');
  });

  test('of a period is found by a period that overlaps it, and by a cool-down recorded later', async () => {
    await put('/chips/CHIP/note', 'in January', during(3, 5));
    expect((await noteOf(during(4, 8))).content).toBe('in January');
    expect(await noteOf(during(6, 8))).toEqual(none);
    await cool('LATER', 2, 8);
    expect((await noteOf({ cooldown_id: 'LATER' })).content).toBe('in January');
    await put('/chips/CHIP/note', 'the cool-down', { cooldown_id: 'LATER' });
    expect((await noteOf({ cooldown_id: 'LATER' })).content).toBe('the cool-down');
  });

  test('is 404 for an unknown chip or cool-down, and 422 where it is too long', async () => {
    expectError(await put('/chips/ghost/note', 'x'), 404, 'not_found');
    expectError(await ask('GET', '/chips/ghost/notes-summary'), 404, 'not_found');
    expectError(await put('/chips/CHIP/note', 'x', { cooldown_id: 'ghost' }), 404, 'not_found');
    expectProblems(await put('/chips/CHIP/note', 'x'.repeat(5001)), [['string_too_long', 'body', 'content']]);
    expectProblems(await ask('PUT', '/chips/CHIP/note', {}), [['missing', 'body', 'content']]);
    expectProblems(await ask('GET', '/chips/CHIP/note', undefined, { start_at: 'never' }), [
      ['datetime_parsing', 'query', 'start_at'],
    ]);
  });

  test('is 422 for a period that ends before its start', async () => {
    expectProblems(await put('/chips/CHIP/note', 'x', during(3, 2)), [['value_error', 'query', 'end_at']]);
    expect((await put('/chips/CHIP/note', 'x', during(3, 3))).status).toBe(200);
  });
});

test('the note of a chip that is written with other changes of it is an event too', async () => {
  const changed = await ask('PATCH', '/chips/CHIP', { note: 'Bonded anew', activity_status: 'inactive' });
  expect(changed.body).toMatchObject({ note: by('Bonded anew') });
  await ask('PATCH', '/chips/CHIP', { activity_status: 'active' });
  expect(await eventsOf('/chips/CHIP/note-events')).toMatchObject({
    total: 1,
    events: [{ scope: 'chip', target_id: 'CHIP', action: 'upsert', content: 'Bonded anew' }],
  });
});

describe('the note of a target', () => {
  test('belongs to the target if the request has no scope, and a cleared one keeps its time', async () => {
    expectError(await ask('DELETE', '/chips/CHIP/qubits/2/note'), 404, 'not_found');
    read(noteBody, await put('/chips/CHIP/qubits/2/note', 'TLS nearby'));
    expect((await ask('GET', '/chips/CHIP/qubits/2')).body).toMatchObject({ note: by('TLS nearby') });
    expect((await summaryOf()).qubits).toEqual([
      { target_id: '2', note: by('TLS nearby'), comments: [], metric_notes: {} },
    ]);
    expect((await ask('DELETE', '/chips/CHIP/qubits/2/note')).status).toBe(200);
    expect((await ask('GET', '/chips/CHIP/qubits/2')).body).toMatchObject({ note: by('') });
  });

  test('of a request without a scope is in a summary without one, also during a cool-down', async () => {
    await put('/chips/CHIP/couplings/1-0/note', 'crosstalk');
    await cool('NOW', 1, null);
    expect((await summaryOf()).couplings).toMatchObject([{ target_id: '1-0', note: by('crosstalk') }]);
    expect((await summaryOf({ cooldown_id: 'NOW' })).couplings).toEqual([]);
    await put('/chips/CHIP/couplings/1-0/note', 'of this cool-down', { cooldown_id: 'NOW' });
    expect((await summaryOf()).couplings).toMatchObject([{ note: by('of this cool-down') }]);
  });

  test('of a period goes on in a cool-down that is recorded later, until it is edited there', async () => {
    await put('/chips/CHIP/qubits/0/note', 'early', during(3, 4));
    await put('/chips/CHIP/qubits/0/note', 'later', during(4, 5));
    expect((await summaryOf(during(2, 6))).qubits).toMatchObject([{ note: by('later') }]);
    expect((await summaryOf(during(3, 4))).qubits).toMatchObject([{ note: by('early') }]);
    await cool('C1', 1, 9);
    expect((await summaryOf({ cooldown_id: 'C1' })).qubits).toMatchObject([{ note: by('later') }]);
    await put('/chips/CHIP/qubits/0/note', 'explicit', { cooldown_id: 'C1' });
    expect((await summaryOf({ cooldown_id: 'C1' })).qubits).toMatchObject([{ note: by('explicit') }]);
    expect((await ask('DELETE', '/chips/CHIP/qubits/0/note', undefined, { cooldown_id: 'C1' })).status).toBe(
      200,
    );
    expectError(
      await ask('DELETE', '/chips/CHIP/qubits/0/note', undefined, { cooldown_id: 'C1' }),
      404,
      'not_found',
    );
  });

  test('of a metric is kept in the scope of the moment, beside others', async () => {
    await put('/chips/CHIP/qubits/10/metric-notes/t1', 'x');
    expect((await summaryOf()).qubits).toEqual([]);
    await put('/chips/CHIP/qubits/3/metric-notes/t1', 'low');
    await put('/chips/CHIP/qubits/3/metric-notes/t2%2Fecho.x', 'odd');
    await put('/chips/CHIP/qubits/0/metric-notes/t1', 'fine');
    expect((await summaryOf()).qubits).toEqual([
      { target_id: '0', note: none, comments: [], metric_notes: { t1: by('fine') } },
      { target_id: '3', note: none, comments: [], metric_notes: { t1: by('low'), 't2/echo.x': by('odd') } },
    ]);
    await cool('NOW', 1, null);
    await put('/chips/CHIP/qubits/3/metric-notes/t1', 'of the cool-down');
    expect((await summaryOf({ cooldown_id: 'NOW' })).qubits).toMatchObject([
      { target_id: '3', metric_notes: { t1: by('of the cool-down') } },
    ]);
    expect((await ask('DELETE', '/chips/CHIP/qubits/3/metric-notes/t1')).status).toBe(200);
    expectError(await ask('DELETE', '/chips/CHIP/qubits/3/metric-notes/t1'), 404, 'not_found');
  });

  test('of a metric that the target has from earlier is shown and can be removed', async () => {
    const note = { content: 'old', updated_by: 'ann', updated_at: new Date(day(1)) };
    await api.database.db
      .collection<{ _id: string }>('qubits')
      .updateOne({ _id: keyOf(project, 'CHIP', '1') }, { $set: { metric_notes: { t1: note } } });
    expect((await summaryOf()).qubits).toMatchObject([
      { target_id: '1', metric_notes: { t1: { ...note, updated_at: day(1) } } },
    ]);
    expect((await ask('DELETE', '/chips/CHIP/qubits/1/metric-notes/t1')).status).toBe(200);
    expect((await summaryOf()).qubits).toEqual([]);
    expectError(await ask('DELETE', '/chips/CHIP/qubits/1/metric-notes/t1'), 404, 'not_found');
    expectError(await ask('DELETE', '/chips/CHIP/qubits/1/metric-notes/$x'), 404, 'not_found');
  });

  test('is 404 for a target that the chip does not have', async () => {
    for (const target of ['qubits/99', 'qubits/x', 'couplings/0-99']) {
      expectError(await put(`/chips/CHIP/${target}/note`, 'x'), 404, 'not_found');
      expectError(await put(`/chips/CHIP/${target}/metric-notes/t1`, 'x'), 404, 'not_found');
      expectError(
        await ask('POST', `/chips/CHIP/${target}/note/comments`, { content: 'x' }),
        404,
        'not_found',
      );
    }
  });

  test('and others that are written at once are all kept', async () => {
    const writes = Array.from({ length: 12 }, (_, index) =>
      index % 3 === 0
        ? put(`/chips/CHIP/qubits/0/metric-notes/m${index}`, `${index}`)
        : ask('POST', '/chips/CHIP/qubits/0/note/comments', { content: `${index}` }),
    );
    for (const { status } of await Promise.all(writes)) expect(status).toBe(200);
    const [target] = (await summaryOf()).qubits;
    expect(Object.keys(target?.metric_notes ?? {}).sort()).toEqual(['m0', 'm3', 'm6', 'm9']);
    expect(target?.comments).toHaveLength(8);
    expect((await eventsOf('/chips/CHIP/note-events')).total).toBe(12);
  });

  test('that many write at once is in the end what one of them wrote, and all texts are events', async () => {
    const texts = Array.from({ length: 6 }, (_, index) => `text ${index}`);
    await Promise.all(texts.map((text) => put('/chips/CHIP/qubits/0/metric-notes/t1', text)));
    const [target] = (await summaryOf()).qubits;
    expect(texts).toContain(target?.metric_notes['t1']?.content);
    const { events } = await eventsOf('/chips/CHIP/note-events');
    expect(events.map(({ content }) => content).sort()).toEqual(texts);
  });
});

describe('a comment', () => {
  const place = '/chips/CHIP/qubits/1/note/comments';

  test('is made by any member, and changed by its author in whatever cool-down it is by then', async () => {
    const as = api.as(viewer, project);
    const made = read(comment, await as(place, { method: 'POST', body: { content: 'Seen it.' } }));
    expect(made).toEqual({
      comment_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      content: 'Seen it.',
      created_by: viewer.username,
      created_at: expect.stringMatching(/Z$/),
      updated_by: viewer.username,
      updated_at: null,
    });
    await cool('NOW', 1, null);
    const url = `${place}/${made.comment_id}`;
    const changed = read(comment, await as(url, { method: 'PUT', body: { content: 'Twice.' } }));
    expect(changed).toMatchObject({ content: 'Twice.', updated_at: expect.stringMatching(/Z$/) });
    expectError(await put(url, 'not mine'), 403, 'forbidden');
    expectError(await ask('DELETE', url), 403, 'forbidden');
    expectError(await put(`${place}/unknown`, 'x'), 404, 'not_found');
    expectError(await put(`/chips/CHIP/qubits/2/note/comments/${made.comment_id}`, 'x'), 404, 'not_found');
    expect((await as(url, { method: 'DELETE' })).status).toBe(200);
    expectError(await as(url, { method: 'DELETE' }), 404, 'not_found');
  });

  test('is changed by a system administrator too', async () => {
    const administrator = await api.makePerson({ system_role: 'admin' });
    await api.addMember(project, administrator, 'viewer');
    const made = read(comment, await ask('POST', place, { content: 'Mine.' }));
    const as = api.as(administrator, project);
    const changed = await as(`${place}/${made.comment_id}`, { method: 'PUT', body: { content: 'Better.' } });
    expect(read(comment, changed)).toMatchObject({ created_by: owner.username, content: 'Better.' });
  });

  test('is shown in its scope, oldest first, whichever note counts there', async () => {
    await ask('POST', place, { content: 'one' }, during(2, 3));
    await put('/chips/CHIP/qubits/1/note', 'note', during(3, 4));
    await ask('POST', place, { content: 'two' }, during(3, 4));
    const [target] = (await summaryOf(during(3, 3))).qubits;
    expect(target?.comments.map(({ content }) => content)).toEqual(['one', 'two']);
    expect((await summaryOf(during(8, 9))).qubits).toEqual([]);
    expect((await summaryOf()).qubits).toEqual([]);
  });
});

describe('the note of a task result', () => {
  const url = '/task-results/task/note';
  beforeEach(async () => {
    await api.database.db
      .collection<TaskResultDocument>('task_results')
      .insertOne(storedTask(project, owner, { task_id: taskNamed('task'), qid: '2' }));
  });

  test('is 404 until it is written, and keeps its time when it is cleared', async () => {
    expectError(await ask('GET', url), 404, 'not_found');
    expectError(await ask('DELETE', url), 404, 'not_found');
    const written = read(noteBody, await put(url, 'Bad fit'));
    expect(read(noteBody, await ask('GET', url))).toEqual(written);
    expect((await ask('DELETE', url)).status).toBe(200);
    expect(read(noteBody, await ask('GET', url))).toEqual(by(''));
    for (const method of ['GET', 'DELETE'] as const) {
      expectError(await ask(method, '/task-results/ghost/note'), 404, 'not_found');
    }
    expectError(await put('/task-results/ghost/note', 'x'), 404, 'not_found');
  });

  test('is in the summary of its chip, an AI review apart from what people wrote', async () => {
    await put(url, '# AI review\nFine.\n---\nNot at all.');
    expect((await summaryOf()).task_notes).toEqual([
      { task_id: 'task', qid: '2', note: by('Not at all.'), ai_review_note: by('# AI review\nFine.') },
    ]);
  });

  test('is an event with the task beside it', async () => {
    await put(url, 'Bad fit');
    await ask('DELETE', url);
    const query = { scope: 'task_result', target_id: 'task' };
    const { events, total } = await eventsOf('/note-events/by-target', query);
    expect(total).toBe(2);
    expect(events.map(({ action, content }) => [action, content])).toEqual([
      ['delete', ''],
      ['upsert', 'Bad fit'],
    ]);
    expect(events[1]).toEqual({
      project_id: project,
      chip_id: 'CHIP',
      scope: 'task_result',
      target_id: 'task',
      metric_key: '',
      action: 'upsert',
      actor_user_id: owner.id,
      actor: owner.username,
      content: 'Bad fit',
      extra: { qid: '2', task_name: 'CheckT1' },
      created_at: expect.stringMatching(/\.\d{3}Z$/),
    });
  });
});
