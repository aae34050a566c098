import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  type ChipDocument,
  chip,
  chipDates,
  chipList,
  deletionImpact,
  qubitList,
  type TargetDocument,
} from '../../shared/domain/chips/model.ts';
import { provenanceHistory } from '../../shared/domain/provenance/model.ts';
import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import { executionIdSchema, keyOf, type ProjectId } from '../../shared/kernel/ids.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { messageBody } from '../../shared/kernel/wire.ts';
import { projectNamed, taskNamed } from '../support/ids.ts';
import { type Api, expectError, expectProblems, type Person, read } from './harness.ts';
import { makeLaboratory, storedTask } from './laboratory.ts';
import { openSharedProject } from './opened-project.ts';

let api: Api;
let owner: Person;
let viewer: Person;
let project: ProjectId;

beforeAll(async () => {
  ({ api, owner, viewer, project } = await openSharedProject({ engine: 'prepared' }));
});
afterAll(() => api.close());

const as = (person = owner) => api.as(person, project);
const create = async (chip_id: string, size = 16, topology_id?: string) =>
  read(chip, await as()('/chips', { method: 'POST', body: { chip_id, size, topology_id } }));
const change = (chipId: string, body: unknown, person = owner) =>
  as(person)(`/chips/${chipId}`, { method: 'PATCH', body });
const remove = (chipId: string, query: Record<string, string> = {}, person = owner) =>
  as(person)(`/chips/${chipId}`, { method: 'DELETE', query });
const targets = (kind: 'qubits' | 'couplings') => api.database.db.collection<TargetDocument>(kind);

describe('changing a chip', () => {
  test('sets what is given and leaves what is null or left out', async () => {
    const made = await create('NOTED');
    const noted = read(chip, await change('NOTED', { note: 'Warm since May.', activity_status: null }));
    expect(noted).toEqual({
      ...made,
      note: {
        content: 'Warm since May.',
        updated_by: owner.username,
        updated_at: expect.stringMatching(/\.\d{3}Z$/),
      },
    });
    const inactive = read(chip, await change('NOTED', { activity_status: 'inactive' }));
    expect(inactive).toEqual({ ...noted, activity_status: 'inactive' });
    expect(read(chip, await change('NOTED', {}))).toEqual(inactive);
    const cleared = read(chip, await change('NOTED', { note: '', activity_status: 'active' }));
    expect(cleared.note).toMatchObject({ content: '', updated_by: owner.username });
    expect(read(chip, await as()('/chips/NOTED'))).toEqual(cleared);
  });

  test('with its own topology brings back what is missing, and keeps what is calibrated', async () => {
    await create('BROKEN');
    await targets('qubits').deleteOne({ _id: keyOf(project, 'BROKEN', '3') });
    await targets('couplings').deleteMany({
      project_id: project,
      chip_id: 'BROKEN',
      qid: { $in: ['0-1', '1-0'] },
    });
    await targets('qubits').updateOne(
      { _id: keyOf(project, 'BROKEN', '4') },
      { $set: { status: 'completed' } },
    );
    const repaired = read(chip, await change('BROKEN', { topology_id: 'square-lattice-mux-16' }));
    expect(repaired).toMatchObject({ qubit_count: 16, coupling_count: 48 });
    const { qubits, total } = read(qubitList, await as()('/chips/BROKEN/qubits'));
    expect([total, qubits[3]?.qid, qubits[4]?.status]).toEqual([16, '3', 'completed']);
    expect((await as()('/chips/BROKEN/couplings/0-1')).status).toBe(200);
  });

  test('to another topology of its size adds couplings, and removes none', async () => {
    await create('MOVED', 16, 'linear-16');
    const moved = read(chip, await change('MOVED', { topology_id: 'square-lattice-mux-16' }));
    expect(moved.topology_id).toBe('square-lattice-mux-16');
    expect(moved.qubit_count).toBe(16);
    expect(moved.coupling_count).toBe(
      await targets('couplings').countDocuments({ project_id: project, chip_id: 'MOVED' }),
    );
    expect(moved.coupling_count).toBeGreaterThan(48);
  });

  test('is refused for an unknown topology, another size, a status or note that may not be, and by viewers', async () => {
    await create('FIXED');
    expectError(await change('FIXED', { topology_id: 'none' }), 400, 'bad_request');
    expectError(await change('FIXED', { topology_id: '../metrics' }), 400, 'bad_request');
    expectError(await change('FIXED', { topology_id: 'heavy-hex-27' }), 400, 'bad_request');
    expectProblems(await change('FIXED', { note: 'x'.repeat(5001) }), [['string_too_long', 'body', 'note']]);
    expect((await change('FIXED', { activity_status: 'retired' })).status).toBe(422);
    expectError(await change('NONE', { note: '' }), 404, 'not_found');
    expectError(await change('FIXED', { note: '' }, viewer), 403, 'forbidden');
  });
});

test('a chip under the id of a deleted one has nothing of it, and what is kept stays under another name', async () => {
  await create('AGAIN');
  const put = (path: string, content: string) =>
    as()(`/chips/AGAIN${path}`, { method: 'PUT', body: { content } });
  const range = '?start_at=2026-01-01T00:00:00Z&end_at=2026-01-02T00:00:00Z';
  await put(`/note${range}`, 'Of the first chip.');
  await put(`/qubits/0/note${range}`, 'Of its qubit.');
  await as()(`/chips/AGAIN/qubits/0/note/comments${range}`, { method: 'POST', body: { content: 'Indeed.' } });
  await as()('/calibrations/parameters', {
    method: 'PATCH',
    body: { chip_id: 'AGAIN', qid: '0', parameters: { t1: 40 } },
  });
  await api.database.db
    .collection<TaskResultDocument>('task_results')
    .insertOne(storedTask(project, owner, { chip_id: 'AGAIN', task_id: taskNamed(newId()), excluded: true }));
  const about = async () => {
    const names = ['notes', 'note_comments', 'note_events', 'task_results', 'manual_edits'];
    const found = [...names, 'provenance_entities', 'qubit_history'];
    const ofChip = { project_id: project, chip_id: 'AGAIN' };
    return Promise.all(found.map((name) => api.database.db.collection(name).countDocuments(ofChip)));
  };
  expect((await about()).every((count) => count > 0)).toBe(true);
  read(messageBody, await remove('AGAIN', { force: 'true' }));
  await create('AGAIN');
  expect(await about()).toEqual([0, 0, 0, 0, 0, 0, 0]);
  const kept = { project_id: project, chip_id: /^AGAIN~/ };
  expect(await api.database.db.collection('task_results').countDocuments(kept)).toBe(1);
  await as()('/calibrations/parameters', {
    method: 'PATCH',
    body: { chip_id: 'AGAIN', qid: '0', parameters: { t1: 41 } },
  });
  const query = { parameter_name: 't1', qid: '0', chip_id: 'AGAIN' };
  const { versions } = read(provenanceHistory, await as()('/provenance/history', { query }));
  expect(versions.map(({ version, value }) => [version, value])).toEqual([[1, 41]]);
});

describe('deleting a chip', () => {
  test('previews what it would change', async () => {
    await create('OLD');
    await api.database.db
      .collection<TaskResultDocument>('task_results')
      .insertMany(
        [1, 2, 3].map(() => storedTask(project, owner, { chip_id: 'OLD', task_id: taskNamed(newId()) })),
      );
    await api.database.db
      .collection<{ _id: string; [field: string]: unknown }>('qubit_history')
      .insertOne({ _id: newId(), project_id: project, chip_id: 'OLD', qid: '0', recorded_date: '20260102' });
    await api.database.db.collection<{ _id: string; [field: string]: unknown }>('cooldowns').insertMany([
      { _id: keyOf(project, 'first'), project_id: project, chip_ids: ['OLD', 'NOTED'] },
      { _id: keyOf(project, 'second'), project_id: project, chip_ids: ['NOTED'] },
      { _id: keyOf(projectNamed('another'), 'first'), project_id: 'another', chip_ids: ['OLD'] },
    ]);
    expect(read(deletionImpact, await as(viewer)('/chips/OLD/deletion-impact'))).toEqual({
      chip_id: 'OLD',
      qubits: 16,
      couplings: 48,
      task_results: 3,
      qubit_history_snapshots: 1,
      coupling_history_snapshots: 0,
      cooldowns_referencing: 1,
      can_delete_safely: false,
    });
    expectError(await as()('/chips/NONE/deletion-impact'), 404, 'not_found');
  });

  test('is 409 without force, and with it leaves history and results', async () => {
    const message = expectError(await remove('OLD'), 409, 'conflict');
    expect(message).toContain('force=true');
    read(messageBody, await remove('OLD', { force: 'true' }));
    expectError(await as()('/chips/OLD'), 404, 'not_found');
    const ofChip = { project_id: project, chip_id: 'OLD' };
    expect(await targets('qubits').countDocuments(ofChip)).toBe(0);
    expect(await targets('couplings').countDocuments(ofChip)).toBe(0);
    expect(await api.database.db.collection('task_results').countDocuments(ofChip)).toBe(3);
    expect(await api.database.db.collection('qubit_history').countDocuments(ofChip)).toBe(1);
    const cooldowns = await api.database.db
      .collection<{ _id: string; chip_ids: string[] }>('cooldowns')
      .find()
      .sort({ _id: 1 })
      .toArray();
    const left = Object.fromEntries(cooldowns.map(({ _id, chip_ids }) => [_id, chip_ids]));
    expect(left).toEqual({
      [keyOf(project, 'first')]: ['NOTED'],
      [keyOf(project, 'second')]: ['NOTED'],
      [keyOf(projectNamed('another'), 'first')]: ['OLD'],
    });
    expectError(await remove('OLD', { force: 'true' }), 404, 'not_found');
    expect((await create('OLD', 64)).qubit_count).toBe(64);
  });

  test('that was cut off is invisible, and ends when the id is used again', async () => {
    await create('CUT');
    await api.database.db
      .collection<ChipDocument>('chips')
      .updateOne({ _id: keyOf(project, 'CUT') }, { $set: { removed_at: new Date() } });
    expectError(await as()('/chips/CUT'), 404, 'not_found');
    expect(read(chipList, await as()('/chips')).chips.map(({ chip_id }) => chip_id)).not.toContain('CUT');
    expect((await create('CUT', 4)).qubit_count).toBe(4);
    expect(read(qubitList, await as()('/chips/CUT/qubits')).qubits).toHaveLength(4);
  });

  test('is 409 while a run holds the project, and for editors only', async () => {
    const laboratory = await makeLaboratory(api, owner, viewer);
    const { execution_id } = read(z.object({ execution_id: executionIdSchema }), await laboratory.execute());
    const refused = await laboratory.as('/chips/CHIP', { method: 'DELETE', query: { force: 'true' } });
    expect(expectError(refused, 409, 'project_busy')).toContain(execution_id);
    await laboratory.free();
    expectError(await remove('FIXED', { force: 'true' }, viewer), 403, 'forbidden');
    expectError(await remove('NONE', { force: 'true' }), 404, 'not_found');
  });
});

test('the days of a chip are those on which it had executions, each once, in order', async () => {
  await create('BUSY', 4);
  const counter = (chip_id: string, date: string) => ({
    _id: keyOf(project, date, chip_id),
    project_id: project,
    chip_id,
    date,
    index: 3,
  });
  await api.database.db
    .collection<{ _id: string }>('execution_counters')
    .insertMany([counter('BUSY', '20260103'), counter('BUSY', '20251231'), counter('OTHER', '20260101')]);
  expect(read(chipDates, await as(viewer)('/chips/BUSY/dates'))).toEqual({ data: ['20251231', '20260103'] });
  expect(read(chipDates, await as(viewer)('/chips/FIXED/dates'))).toEqual({ data: [] });
  expectError(await as()('/chips/NONE/dates'), 404, 'not_found');
});
