import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { comment, noteEventList } from '../../shared/domain/notes/model.ts';
import { type Api, expectError, expectProblems, type Person, read, startApi } from './harness.ts';
import { noteCalls } from './note-calls.ts';

let api: Api;
let owner: Person;
let project: string;

beforeAll(async () => {
  api = await startApi();
  owner = await api.makePerson();
});
afterAll(() => api.close());
beforeEach(async () => {
  project = await api.makeProject(owner);
  await ask('POST', '/chips', { chip_id: 'CHIP', size: 4 });
});

const { ask, put, eventsOf } = noteCalls(() => api.as(owner, project));

describe('events of notes', () => {
  test('are made by every write of every kind of note, and by every deletion', async () => {
    await put('/chips/CHIP/note', 'chip');
    await put('/chips/CHIP/qubits/0/note', 'qubit');
    await put('/chips/CHIP/qubits/0/metric-notes/t1', 'metric', {
      start_at: '2026-01-01T00:00:00Z',
      end_at: '2026-01-02T00:00:00Z',
    });
    await put('/chips/CHIP/couplings/0-1/note', 'coupling');
    await put('/chips/CHIP/couplings/0-1/metric-notes/zx', 'metric');
    const { comment_id } = read(
      comment,
      await ask('POST', '/chips/CHIP/couplings/0-1/note/comments', { content: 'comment' }),
    );
    await ask('DELETE', `/chips/CHIP/couplings/0-1/note/comments/${comment_id}`);
    await ask('DELETE', '/chips/CHIP/couplings/0-1/metric-notes/zx');
    await ask('DELETE', '/chips/CHIP/note');
    const { events, total } = await eventsOf('/chips/CHIP/note-events');
    expect(total).toBe(9);
    expect(events.map(({ scope, action, metric_key }) => `${action} ${scope} ${metric_key}`).sort()).toEqual([
      'delete chip ',
      'delete coupling ',
      'delete coupling_metric zx',
      'upsert chip ',
      'upsert coupling ',
      'upsert coupling ',
      'upsert coupling_metric zx',
      'upsert qubit ',
      'upsert qubit_metric t1',
    ]);
    expect(events.find(({ scope }) => scope === 'qubit_metric')?.extra).toEqual({
      scope_type: 'time_range',
      scope_key: 'time_range:2026-01-01T00:00:00.000+00:00:2026-01-02T00:00:00.000+00:00',
      cooldown_id: '',
    });
    expect(events.find(({ extra }) => extra['kind'] === 'comment')?.extra).toMatchObject({ comment_id });
    const times = events.map(({ created_at }) => created_at);
    expect(times).toEqual(times.toSorted().toReversed());
  });

  test('are listed page by page, of a chip and of a target', async () => {
    await ask('POST', '/chips', { chip_id: 'OTHER', size: 4 });
    for (const content of ['a', 'b', 'c']) await put('/chips/CHIP/qubits/0/note', content);
    await put('/chips/OTHER/qubits/0/note', 'elsewhere');
    const page = await eventsOf('/chips/CHIP/note-events', { limit: '1', skip: '1' });
    expect(page).toMatchObject({ total: 3, events: [{ content: 'b' }] });
    const target = { scope: 'qubit', target_id: '0' };
    expect((await eventsOf('/note-events/by-target', target)).total).toBe(4);
    expect((await eventsOf('/note-events/by-target', { ...target, chip_id: 'OTHER' })).total).toBe(1);
    expectError(await ask('GET', '/chips/ghost/note-events'), 404, 'not_found');
    expectProblems(await ask('GET', '/note-events/by-target', undefined, { scope: 'flow', target_id: '0' }), [
      ['enum', 'query', 'scope'],
    ]);
    expectProblems(await ask('GET', '/chips/CHIP/note-events', undefined, { limit: '201' }), [
      ['less_than_equal', 'query', 'limit'],
    ]);
  });

  test('are searched for words and parts of words, best match first', async () => {
    await put('/chips/CHIP/qubits/0/note', 'The resonator drifts at night');
    await put('/chips/CHIP/qubits/1/note', 'Night shift');
    await put('/chips/CHIP/qubits/2/note', 'Nothing to see');
    const found = async (q: string) =>
      (await eventsOf('/note-events/search', { q })).events.map(({ target_id }) => target_id);
    expect(await found('night')).toEqual(['1', '0']);
    expect(await found('night drift')).toEqual(['0', '1']);
    expect(await found('RESON')).toEqual(['0']);
    expect(await found('sonato')).toEqual(['0']);
    expect(await found('i')).toEqual([]);
    // As 0.2.0 kept it: whole words and their beginnings.
    const stored = api.database.db.collection('note_events');
    await stored.updateOne(
      { project_id: project, target_id: '1' },
      { $set: { words: ['night', 'ni', 'nig'] } },
    );
    expect(await found('nig')).toEqual(['1', '0']);
    expect(await found('warm')).toEqual([]);
    expect(await found('?')).toEqual([]);
    expect(await eventsOf('/note-events/search', { q: 'night', limit: '1' })).toMatchObject({ total: 2 });
    expectProblems(await ask('GET', '/note-events/search', undefined, { q: '' }), [
      ['string_too_short', 'query', 'q'],
    ]);
  });

  test('and notes of two projects never meet', async () => {
    await put('/chips/CHIP/qubits/0/note', 'secret');
    const other = await api.makeProject(owner);
    const as = api.as(owner, other);
    const found = await as('/note-events/search', { query: { q: 'secret' } });
    expect(read(noteEventList, found)).toEqual({ events: [], total: 0 });
    expectError(await as('/chips/CHIP/notes-summary'), 404, 'not_found');
  });
});
