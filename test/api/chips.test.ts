import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ChipDocument, TargetDocument } from '../../shared/domain/chips/model.ts';
import { chip, chipList, coupling, couplingList, qubit, qubitList } from '../../shared/domain/chips/model.ts';
import { storedParameter } from '../../shared/domain/results/model.ts';
import { keyOf, type ProjectId } from '../../shared/kernel/ids.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { type Api, expectError, expectProblems, type Person, read, startApi } from './harness.ts';

let api: Api;
let editor: Person;
let viewer: Person;
let stranger: Person;
let project: ProjectId;

beforeAll(async () => {
  api = await startApi();
  [editor, viewer, stranger] = await Promise.all([api.makePerson(), api.makePerson(), api.makePerson()]);
  project = await api.makeProject(editor);
  await api.addMember(project, viewer, 'viewer');
});
afterAll(() => api.close());

const create = (body: unknown, person = editor, projectId = project) =>
  api.as(person, projectId)('/chips', { method: 'POST', body });
const get = (url: string, query?: Record<string, string | string[]>) =>
  api.as(viewer, project)(url, query && { query });
const chips = () => api.database.db.collection<ChipDocument>('chips');
const qubits = () => api.database.db.collection<TargetDocument>('qubits');

describe('creating a chip', () => {
  test('answers the chip with its real counts, and shows it to every member', async () => {
    const made = read(chip, await create({ chip_id: '64Q.a-b_c', size: 16 }));
    expect(made).toEqual({
      chip_id: '64Q.a-b_c',
      size: 16,
      topology_id: 'square-lattice-mux-16',
      qubit_count: 16,
      coupling_count: 48,
      installed_at: expect.stringMatching(/\.\d{3}Z$/),
      activity_status: 'active',
      current_cooldown_id: null,
      note: { content: '', updated_by: '', updated_at: null },
    });
    expect(read(chip, await get('/chips/64Q.a-b_c'))).toEqual(made);
  });

  test('has 64 qubits when nothing else is said', async () => {
    const made = read(chip, await create({ chip_id: 'DEFAULT' }));
    expect(made).toMatchObject({
      size: 64,
      topology_id: 'square-lattice-mux-64',
      qubit_count: 64,
      coupling_count: 224,
    });
  });

  test('follows a named topology of the same size', async () => {
    const heavy = read(chip, await create({ chip_id: 'HEAVY', size: 27, topology_id: 'heavy-hex-27' }));
    expect(heavy).toMatchObject({ qubit_count: 27, coupling_count: 58 });
    const line = read(chip, await create({ chip_id: 'LINE', size: '16', topology_id: 'linear-16' }));
    expect(line).toMatchObject({ qubit_count: 16, coupling_count: 30 });
  });

  test('of 1,024 qubits has all of them and 3,968 couplings', async () => {
    const made = read(chip, await create({ chip_id: 'LARGE', size: 1024 }));
    expect(made).toMatchObject({ qubit_count: 1024, coupling_count: 3968 });
    expect(await qubits().countDocuments({ project_id: project, chip_id: 'LARGE' })).toBe(1024);
    const couplings = api.database.db.collection<TargetDocument>('couplings');
    expect(await couplings.countDocuments({ project_id: project, chip_id: 'LARGE' })).toBe(3968);
  });

  test('is 400 for a size or topology that does not exist, or does not fit', async () => {
    for (const body of [
      { chip_id: 'X', size: 10 },
      { chip_id: 'X', size: 36 },
      { chip_id: 'X', size: 36, topology_id: 'square-lattice-mux-36' },
      { chip_id: 'X', size: 0 },
      { chip_id: 'X', size: -4 },
      { chip_id: 'X', size: 10_000 },
      { chip_id: 'X', size: 16, topology_id: 'no-such-topology' },
      { chip_id: 'X', size: 16, topology_id: '' },
      { chip_id: 'X', size: 16, topology_id: '../secrets' },
      { chip_id: 'X', size: 16, topology_id: 'square-lattice-mux-64' },
      { chip_id: 'X', topology_id: 'linear-16' },
    ]) {
      expectError(await create(body), 400, 'bad_request');
    }
    expectError(await get('/chips/X'), 404, 'not_found');
  });

  test('is 400 when the project has a chip of that id, and changes nothing of it', async () => {
    read(chip, await create({ chip_id: 'TAKEN', size: 16 }));
    expectError(await create({ chip_id: 'TAKEN', size: 16 }), 400, 'already_exists');
    expectError(await create({ chip_id: 'TAKEN', size: 64 }), 400, 'already_exists');
    expect(await qubits().countDocuments({ project_id: project, chip_id: 'TAKEN' })).toBe(16);
    const other = await api.makeProject(stranger);
    expect(read(chip, await create({ chip_id: 'TAKEN', size: 4 }, stranger, other)).size).toBe(4);
  });

  test('of one id, many times at once and in two sizes, makes one', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => create({ chip_id: 'RACE', size: index % 2 === 0 ? 16 : 64 })),
    );
    const winners = answers.filter((answer) => answer.status === 200);
    expect(winners).toHaveLength(1);
    expect(answers.filter((answer) => answer.status === 400)).toHaveLength(9);
    const winner = read(chip, await get('/chips/RACE'));
    expect(await qubits().countDocuments({ project_id: project, chip_id: 'RACE' })).toBe(winner.size);
  });

  test('is 422 for an id or a size of the wrong form', async () => {
    expectProblems(await create({}), [['missing', 'body', 'chip_id']]);
    for (const [id, ...types] of [
      ['', 'string_too_short', 'string_pattern_mismatch'],
      ['x'.repeat(65), 'string_too_long'],
      ['.hidden', 'string_pattern_mismatch'],
      ['-dash', 'string_pattern_mismatch'],
      ['a/b', 'string_pattern_mismatch'],
      ['a b', 'string_pattern_mismatch'],
      ['a\n', 'string_pattern_mismatch'],
      ['量子', 'string_pattern_mismatch'],
    ] as const) {
      expectProblems(
        await create({ chip_id: id, size: 16 }),
        types.map((type) => [type, 'body', 'chip_id']),
      );
    }
    // The message contains the pattern, so that the caller knows what is allowed.
    expect((await create({ chip_id: 'a b', size: 16 })).text).toContain('[A-Za-z0-9._-]');
    expectProblems(await create({ chip_id: 'X', size: 16.5 }), [['int_from_float', 'body', 'size']]);
    expectProblems(await create({ chip_id: 'X', size: 'many' }), [['int_parsing', 'body', 'size']]);
    expectProblems(await create({ chip_id: 'X', size: [16] }), [['int_type', 'body', 'size']]);
    expectProblems(await create({ chip_id: 'X', topology_id: 16 }), [['string_type', 'body', 'topology_id']]);
    expectProblems(await create({ chip_id: 'X', size: true }), [['int_type', 'body', 'size']]);
  });

  test('needs the editor role', async () => {
    expectError(await create({ chip_id: 'X', size: 16 }, viewer), 403, 'forbidden');
    expectError(await create({ chip_id: 'X', size: 16 }, stranger), 403, 'forbidden');
    const anonymous = await api.call('/chips', { method: 'POST', body: { chip_id: 'X', size: 16 } });
    expectError(anonymous, 401, 'not_authenticated');
  });
});

describe('a creation that was cut off', () => {
  async function cutOff(chipId: string, secondsAgo: number): Promise<void> {
    read(chip, await create({ chip_id: chipId, size: 16 }));
    const created_at = new Date(Date.now() - secondsAgo * 1000);
    await chips().updateOne({ _id: keyOf(project, chipId) }, { $set: { complete: false, created_at } });
    await qubits().deleteMany({ project_id: project, chip_id: chipId, qid_order: { $gte: 5 } });
  }

  test('is not visible while it may still go on', async () => {
    await cutOff('HALF-NEW', 0);
    for (const url of ['/chips/HALF-NEW', '/chips/HALF-NEW/qubits', '/chips/HALF-NEW/qubits/0']) {
      expectError(await get(url), 404, 'not_found');
    }
    const { chips: listed } = read(chipList, await get('/chips'));
    expect(listed.map((each) => each.chip_id)).not.toContain('HALF-NEW');
    expectError(await create({ chip_id: 'HALF-NEW', size: 16 }), 400, 'already_exists');
  });

  test('is completed by the same request again', async () => {
    await cutOff('HALF-POST', 60);
    expect(read(chip, await create({ chip_id: 'HALF-POST', size: 16 })).qubit_count).toBe(16);
    expect(read(qubitList, await get('/chips/HALF-POST/qubits')).qubits).toHaveLength(16);
    expectError(await create({ chip_id: 'HALF-POST', size: 16 }), 400, 'already_exists');
  });

  test('is completed by its next reader', async () => {
    await cutOff('HALF-READ', 60);
    expect(read(chip, await get('/chips/HALF-READ')).qubit_count).toBe(16);
    expect(read(qubitList, await get('/chips/HALF-READ/qubits')).qubits).toHaveLength(16);
    await cutOff('HALF-LIST', 60);
    const { chips: listed } = read(chipList, await get('/chips'));
    expect(listed.map((each) => each.chip_id)).toContain('HALF-LIST');
  });
});

describe('reading chips', () => {
  test('lists the chips of the project by id, and of no other project', async () => {
    const other = await api.makeProject(stranger);
    read(chip, await create({ chip_id: 'ELSEWHERE', size: 4 }, stranger, other));
    const mine = read(chipList, await get('/chips'));
    const ids = mine.chips.map((each) => each.chip_id);
    expect(ids).toEqual([...ids].sort());
    expect(ids).not.toContain('ELSEWHERE');
    expect(mine.total).toBe(ids.length);
    const theirs = read(chipList, await api.as(stranger, other)('/chips'));
    expect(theirs.chips.map((each) => each.chip_id)).toEqual(['ELSEWHERE']);
    expectError(await get('/chips/ELSEWHERE'), 404, 'not_found');
    expectError(await get('/chips/ELSEWHERE/qubits'), 404, 'not_found');
    expectError(await get('/chips/ELSEWHERE/qubits/0'), 404, 'not_found');
  });

  test('is 404 for an id of any other form', async () => {
    for (const id of ['unknown', '..', `${project}/LINE`, 'a'.repeat(500)]) {
      expectError(await get(`/chips/${encodeURIComponent(id)}`), 404, 'not_found');
    }
  });

  test('needs a token and membership', async () => {
    const parts = ['', '/LINE', '/LINE/qubits', '/LINE/qubits/0', '/LINE/couplings', '/LINE/couplings/0-1'];
    for (const url of parts.map((part) => `/chips${part}`)) {
      expectError(await api.call(url), 401, 'not_authenticated');
      expectError(await api.as(stranger, project)(url), 403, 'forbidden');
      expectError(await api.as(stranger, newId())(url), 404, 'not_found');
    }
  });
});

describe('reading qubits', () => {
  test('gives a page by number: 50 by default, as many as 256', async () => {
    const first = read(qubitList, await get('/chips/LARGE/qubits'));
    expect(first).toMatchObject({ total: 1024, limit: 50, offset: 0 });
    expect(first.qubits.map((each) => each.qid)).toEqual(
      Array.from({ length: 50 }, (_, index) => String(index)),
    );
    const last = read(qubitList, await get('/chips/LARGE/qubits', { limit: '256', offset: '1000' }));
    expect(last.qubits.map((each) => each.qid)).toEqual(
      Array.from({ length: 24 }, (_, index) => String(1000 + index)),
    );
    expect(read(qubitList, await get('/chips/LARGE/qubits', { offset: '5000' })).qubits).toEqual([]);
  });

  test('narrows to the given ids, in numeric order, with their count as total', async () => {
    const some = read(qubitList, await get('/chips/LARGE/qubits', { qids: ['100', '9', '9', 'none', '10'] }));
    expect(some.qubits.map((each) => each.qid)).toEqual(['9', '10', '100']);
    expect(some.total).toBe(3);
    const one = read(qubitList, await get('/chips/LARGE/qubits', { qids: '7' }));
    expect(one.qubits.map((each) => each.qid)).toEqual(['7']);
    const page = await get('/chips/LARGE/qubits', { qids: ['1', '2', '3'], limit: '1', offset: '1' });
    expect(read(qubitList, page)).toMatchObject({ total: 3, qubits: [{ qid: '2' }] });
  });

  test('is 422 for a page out of bounds', async () => {
    const at = (query: Record<string, string>) => get('/chips/LARGE/qubits', query);
    expectProblems(await at({ limit: '0' }), [['greater_than_equal', 'query', 'limit']]);
    expectProblems(await at({ limit: '257' }), [['less_than_equal', 'query', 'limit']]);
    expectProblems(await at({ limit: 'all' }), [['int_parsing', 'query', 'limit']]);
    expectProblems(await at({ limit: '' }), [['int_parsing', 'query', 'limit']]);
    expectProblems(await at({ limit: '1.5', offset: '-1' }), [
      ['int_parsing', 'query', 'limit'],
      ['greater_than_equal', 'query', 'offset'],
    ]);
  });

  test('shows a new qubit as pending, with nothing calibrated', async () => {
    expect(read(qubit, await get('/chips/LINE/qubits/3'))).toEqual({
      qid: '3',
      chip_id: 'LINE',
      status: 'pending',
      data: {},
      note: { content: '', updated_by: '', updated_at: null },
      metric_notes: {},
    });
  });

  test('shows calibrated values with every field, null where unknown', async () => {
    await qubits().updateOne(
      { _id: keyOf(project, 'LINE', '4') },
      {
        $set: {
          status: 'completed',
          'data.t1': {
            parameter_name: 't1',
            qid_role: '',
            required: false,
            value: 51.2,
            value_type: 'float',
            unit: 'µs',
            description: 'Relaxation time',
            execution_id: '20260101-000',
            task_id: 'task',
          },
        },
      },
    );
    const shown = read(qubit, await get('/chips/LINE/qubits/4'));
    expect(shown).toMatchObject({
      status: 'completed',
      data: { t1: { value: 51.2, unit: 'µs', source: null, error: null, calibrated_at: null } },
    });
  });

  test('is 404 for a qubit that the chip does not have', async () => {
    for (const qid of ['16', '-1', 'Q0', '0-1', 'x/y']) {
      expectError(await get(`/chips/LINE/qubits/${encodeURIComponent(qid)}`), 404, 'not_found');
    }
    expectError(await get('/chips/NONE/qubits/0'), 404, 'not_found');
    expectError(await get('/chips/NONE/qubits'), 404, 'not_found');
  });
});

describe('reading couplings', () => {
  test('gives a page by control, then target: 100 by default, as many as 512', async () => {
    const first = read(couplingList, await get('/chips/LARGE/couplings'));
    expect(first).toMatchObject({ total: 3968, limit: 100, offset: 0 });
    expect(first.couplings).toHaveLength(100);
    expect(first.couplings.slice(0, 4).map((each) => each.qid)).toEqual(['0-1', '0-2', '1-0', '1-3']);
    const numbers = first.couplings.map((each) => each.qid.split('-').map(Number));
    const sorted = [...numbers].sort(([a = 0, b = 0], [c = 0, d = 0]) => a - c || b - d);
    expect(numbers).toEqual(sorted);
    const last = read(couplingList, await get('/chips/LARGE/couplings', { limit: '512', offset: '3900' }));
    expect(last).toMatchObject({ total: 3968, limit: 512, offset: 3900 });
    expect(last.couplings).toHaveLength(68);
    expect(read(couplingList, await get('/chips/LARGE/couplings', { offset: '5000' })).couplings).toEqual([]);
  });

  test('is 422 for a page out of bounds', async () => {
    const at = (query: Record<string, string>) => get('/chips/LARGE/couplings', query);
    expectProblems(await at({ limit: '0' }), [['greater_than_equal', 'query', 'limit']]);
    expectProblems(await at({ limit: '513', offset: '-1' }), [
      ['less_than_equal', 'query', 'limit'],
      ['greater_than_equal', 'query', 'offset'],
    ]);
  });

  test('shows both directions as couplings of their own, with their values', async () => {
    await api.database.db.collection<TargetDocument>('couplings').updateOne(
      { _id: keyOf(project, 'LINE', '3-4') },
      {
        $set: {
          'data.cr_amplitude': storedParameter.parse({ parameter_name: 'cr_amplitude', value: 0.3 }),
        },
      },
    );
    expect(read(coupling, await get('/chips/LINE/couplings/3-4'))).toMatchObject({
      qid: '3-4',
      chip_id: 'LINE',
      data: { cr_amplitude: { value: 0.3, error: null, calibrated_at: null } },
    });
    expect(read(coupling, await get('/chips/LINE/couplings/4-3'))).toEqual({
      qid: '4-3',
      chip_id: 'LINE',
      status: 'pending',
      data: {},
      note: { content: '', updated_by: '', updated_at: null },
      metric_notes: {},
    });
  });

  test('is 404 for a coupling or a chip that is not there, or is another project', async () => {
    for (const id of ['0-2', '3', '0-1-2', 'x/y']) {
      expectError(await get(`/chips/LINE/couplings/${encodeURIComponent(id)}`), 404, 'not_found');
    }
    expectError(await get('/chips/NONE/couplings/0-1'), 404, 'not_found');
    expectError(await get('/chips/NONE/couplings'), 404, 'not_found');
    const other = await api.makeProject(stranger);
    for (const url of ['/chips/LINE/couplings', '/chips/LINE/couplings/0-1']) {
      expectError(await api.as(stranger, other)(url), 404, 'not_found');
    }
  });
});

test('the store names all qubits and couplings of a chip in numeric order', async () => {
  const { chips: store } = api.areas;
  expect(await store.allQubitIds(project, 'LINE')).toEqual(
    Array.from({ length: 16 }, (_, index) => String(index)),
  );
  const couplings = await store.allCouplingIds(project, 'LINE');
  expect(couplings.slice(0, 4)).toEqual(['0-1', '1-0', '1-2', '2-1']);
  expect(couplings.at(-1)).toBe('15-14');
});
