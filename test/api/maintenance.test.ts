import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  maintainedValues,
  maintenanceDecisionList,
  maintenanceGraphShown,
  maintenanceSummary,
  type NewDecision,
} from '../../shared/domain/maintenance/model.ts';
import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import type { ProjectId } from '../../shared/kernel/ids.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { executionNamed, taskNamed } from '../support/ids.ts';
import { type Api, expectError, type Person, read } from './harness.ts';
import { storedExecution, storedTask } from './laboratory.ts';
import { openProject } from './opened-project.ts';

const CHIP = 'KEPT';

let api: Api;
let owner: Person;
let project: ProjectId;

beforeAll(async () => {
  ({ api, owner, project } = await openProject());
  await api.as(owner, project)('/chips', { method: 'POST', body: { chip_id: CHIP, size: 4 } });
});
afterAll(() => api.close());

const ask = (path: string) => api.as(owner, project)(`/chips/${CHIP}/maintenance${path}`);

test('the graph of a chip tells which task finds a value, and what that task reads', async () => {
  const { nodes, edges, tasks } = read(maintenanceGraphShown, await ask('/graph'));
  const t1 = nodes.find(({ parameter_name }) => parameter_name === 't1');
  expect(t1).toMatchObject({ node_id: 'qubit/t1#1', task_name: 'CheckT1', unit: 'us', targets: 4 });
  const read_by_t1 = edges.filter(({ to }) => to === t1?.node_id).map(({ from }) => from.split('#')[0]);
  expect(read_by_t1).toEqual([
    'qubit/qubit_frequency',
    'qubit/hpi_amplitude',
    'qubit/hpi_length',
    'qubit/readout_frequency',
    'qubit/readout_amplitude',
    'qubit/readout_length',
  ]);
  const places = new Map(tasks.map(({ task_name, depth }) => [task_name, depth]));
  for (const { task_name, depth, depends_on } of tasks) {
    for (const before of depends_on) expect(places.get(before), task_name).toBeLessThan(depth);
  }
});

test('the graph is also available for Graphviz and as a picture', async () => {
  const dot = await ask('/graph/dot');
  expect(dot.headers['content-type']).toContain('text/vnd.graphviz');
  expect(dot.text).toContain('"CreateHPIPulse" -> "CheckT1" [tooltip="hpi_amplitude, hpi_length"];');
  const picture = await ask('/graph/picture');
  expect(picture.headers['content-type']).toContain('image/svg+xml');
  expect(picture.text).toMatch(/^<svg [\s\S]*>CheckT1<[\s\S]*<\/svg>\s*$/);
});

test('an unknown chip has no graph', async () => {
  for (const path of ['graph', 'graph/dot', 'graph/picture']) {
    expectError(await api.as(owner, project)(`/chips/NONE/maintenance/${path}`), 404, 'not_found');
  }
});

/** Records a measurement in history, as a task does; it is `hours` old. */
async function measure(
  qid: string,
  [task_name, ...outputs]: [string, ...(readonly [string, number, number])[]],
  hours: number,
): Promise<void> {
  const ended_at = new Date(Date.now() - hours * 3_600_000);
  await api.areas.provenance.add({
    ...{ project_id: project, chip_id: CHIP, qid, task_name, ended_at, started_at: ended_at },
    ...{ execution_id: executionNamed('20261127-000'), task_id: taskNamed(newId()), used_entities: [] },
    ...{ task_type: qid.includes('-') ? 'coupling' : 'qubit', status: 'completed' },
    outputs: outputs.map(([parameter_name, value, error]) => ({
      ...{ parameter_name, value, error, value_type: 'float', unit: 'us' },
    })),
  });
}

async function states(query: string) {
  const { items, total } = read(maintainedValues, await ask(`?${query}`));
  expect(items.length).toBeLessThanOrEqual(total);
  return items;
}

describe('the values of a chip', () => {
  beforeAll(async () => {
    // A chip that is as old as its values.
    await api.database.db
      .collection<{ chip_id: string }>('chips')
      .updateOne({ chip_id: CHIP }, { $set: { created_at: new Date(Date.now() - 9e9) } });
    await measure('0', ['CheckChevron', ['qubit_frequency', 5, 1e-4]], 8);
    await measure('0', ['CreateHPIPulse', ['hpi_amplitude', 0.02, 1e-4], ['hpi_length', 32, 0]], 7);
    await measure('0', ['CheckT1', ['t1', 60, 2]], 6);
    await measure('0', ['CheckT1Average', ['t1_average', 60, 2]], 5);
    await measure('1', ['CheckT1', ['t1', 60, 2]], 2000);
    await measure('0-1', ['CheckCZChevron', ['cz_gate_time', 40, 1]], 1);
  });

  test('are listed with their state, the reason and the end of their window', async () => {
    const [t1, ...more] = await states('qid=0&parameter_name=t1');
    expect(more).toEqual([]);
    expect(t1).toMatchObject({
      ...{ target_kind: 'qubit', qid: '0', parameter_name: 't1', state: 'fresh', cause: null },
      ...{ value: 60, error: 2, task_name: 'CheckT1', refinement: 1, since: t1?.found_at },
    });
    const window = Date.parse(t1?.due_at ?? '') - Date.parse(t1?.found_at ?? '');
    expect(window / 3_600_000).toBeCloseTo(t1?.window_hours ?? 0, 3);
    expect(t1?.reason).toMatch(/\.$/);
  });

  test('are due after their window, and unknown if they were never measured', async () => {
    const found = await states('parameter_name=t1');
    expect(found.map(({ qid, state }) => [qid, state])).toEqual([
      ['0', 'fresh'],
      ['1', 'due'],
      ['2', 'unknown'],
      ['3', 'unknown'],
    ]);
    expect((await states('parameter_name=cz_gate_time&qid=0-1')).map(({ state }) => state)).toEqual([
      'fresh',
    ]);
  });

  test('have pages, which follow each other without gaps whatever is requested', async () => {
    for (const query of ['target_kind=qubit', 'state=unknown&state=fresh', 'parameter_name=t1']) {
      const whole = read(maintainedValues, await ask(`?${query}&limit=1000`));
      const first = read(maintainedValues, await ask(`?${query}&limit=3`));
      const second = read(maintainedValues, await ask(`?${query}&limit=150&skip=3`));
      expect([first.total, second.total]).toEqual([whole.total, whole.total]);
      expect([...first.items, ...second.items]).toEqual(whole.items.slice(0, 153));
    }
  });

  test('are counted by state', async () => {
    const summary = read(maintenanceSummary, await ask('/summary'));
    const { total } = read(maintainedValues, await ask('?limit=1'));
    expect(Object.values(summary.states).reduce((sum, count) => sum + count, 0)).toBe(total);
    expect(summary.parameters.find(({ parameter_name }) => parameter_name === 't1')?.states).toEqual({
      ...{ fresh: 1, due: 1, stale: 0, broken: 0, unknown: 2 },
    });
  });

  test('become broken when a task that finds them fails, and stale when what they depend on is edited', async () => {
    const at = new Date(Date.now() - 60_000);
    await api.database.db.collection<TaskResultDocument>('task_results').insertOne(
      storedTask(project, owner, {
        ...{ chip_id: CHIP, qid: '0', name: 'CheckT1Average', status: 'failed', message: 'No decay.' },
        ...{ start_at: at, end_at: at },
      }),
    );
    const [average] = await states('qid=0&parameter_name=t1_average');
    expect(average).toMatchObject({ state: 'broken', since: at.toISOString() });
    expect(average?.reason).toContain('No decay.');

    const edit = { chip_id: CHIP, qid: '0', parameters: { hpi_amplitude: 0.03 } };
    const edited = await api.as(owner, project)('/calibrations/parameters', { method: 'PATCH', body: edit });
    expect(edited.status).toBe(200);
    const stale = await states('state=stale');
    expect(stale.map(({ qid, parameter_name }) => [qid, parameter_name])).toEqual([
      ['0', 'hpi_amplitude'],
      ['0', 't1'],
    ]);
    expect(stale[1]?.cause).toEqual({ target_kind: 'qubit', qid: '0', parameter_name: 'hpi_amplitude' });
  });

  test('are refused for a state that does not exist, and of an unknown chip', async () => {
    expect((await ask('?state=old')).status).toBe(422);
    expectError(await api.as(owner, project)('/chips/NONE/maintenance'), 404, 'not_found');
    expectError(await api.as(owner, project)('/chips/NONE/maintenance/summary'), 404, 'not_found');
  });
});

describe('the decisions of a run that maintains a chip', () => {
  const made_at = new Date('2026-11-27T10:00:00Z');
  const decision = (sequence: number, changes: Partial<NewDecision>): NewDecision => ({
    ...{ sequence, made_at, maintenance: 0, phase: 'run', task_name: 'CheckT1', targets: ['0'] },
    ...{ parameter_names: ['t1'], state_before: 'due', decision: 'check', reason: 't1 is due.', check: null },
    ...changes,
  });
  const moved = { outcome: 'out_of_specification', reason: 't1 is 20 us.' } as const;
  let path: string;

  beforeAll(async () => {
    const run = storedExecution(project, owner, { chip_id: CHIP, status: 'completed' });
    await api.database.db.collection<typeof run>('executions').insertOne(run);
    const added = [
      decision(0, { phase: 'start', task_name: 'CheckRabi', targets: ['0', '1'], decision: 'holds' }),
      decision(1, { phase: 'start', targets: ['0', '1'] }),
      decision(2, { decision: 'calibrate', check: moved }),
      decision(3, { phase: 'end', decision: 'not_repaired', reason: 'Its calibration failed: no decay.' }),
      decision(4, { phase: 'end', targets: ['1'], decision: 'holds' }),
    ];
    await api.areas.maintenance.addDecisions(run, added.slice(0, 3));
    // A worker that was killed before it went on decides the same once more.
    const later = added.map((each) => ({ ...each, made_at: new Date('2026-11-27T11:00:00Z') }));
    await api.areas.maintenance.addDecisions(run, later);
    path = `/executions/${run.execution_id}/maintenance/decisions`;
  });

  const list = async (query: string) =>
    read(maintenanceDecisionList, await api.as(owner, project)(`${path}?${query}`));
  const sequences = async (query: string) => (await list(query)).items.map(({ sequence }) => sequence);

  test('are listed in order, each once, with reason and check', async () => {
    const { items, total } = await list('');
    expect([items.length, total]).toEqual([5, 5]);
    expect(items[2]).toEqual({
      ...{ sequence: 2, made_at: made_at.toISOString(), maintenance: 0, phase: 'run', task_name: 'CheckT1' },
      ...{ targets: ['0'], parameter_names: ['t1'], state_before: 'due', decision: 'calibrate' },
      ...{ reason: 't1 is due.', check: moved },
    });
  });

  test('are selected by target, task, phase and decision, and have pages', async () => {
    expect(await sequences('qid=1')).toEqual([0, 1, 4]);
    expect(await sequences('task_name=CheckT1&phase=start')).toEqual([1]);
    expect(await sequences('decision=not_repaired&decision=calibrate')).toEqual([2, 3]);
    expect(await list('skip=1&limit=2')).toMatchObject({ total: 5, skip: 1, limit: 2 });
    expect(await sequences('skip=1&limit=2')).toEqual([1, 2]);
  });

  test('are not shown to another project, and unknown decisions are refused', async () => {
    const other = await api.makePerson();
    const elsewhere = api.as(other, await api.makeProject(other));
    expectError(await elsewhere(path), 404, 'not_found');
    expect((await api.as(owner, project)(`${path}?decision=maybe`)).status).toBe(422);
  });
});
