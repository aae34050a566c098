import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TargetDocument } from '../../shared/domain/chips/model.ts';
import { device } from '../../shared/domain/device-topology/model.ts';
import { storedParameter, type TaskResultDocument } from '../../shared/domain/results/model.ts';
import { keyOf, type ProjectId } from '../../shared/kernel/ids.ts';
import { type Api, expectError, expectProblems, type Person, read } from './harness.ts';
import { storedTask } from './laboratory.ts';
import { openProject } from './opened-project.ts';

let api: Api;
let owner: Person;
let project: ProjectId;

beforeAll(async () => {
  ({ api, owner, project } = await openProject());
});
afterAll(() => api.close());

const ask = (body: unknown = {}, path = '/device-topology') =>
  api.as(owner, project)(path, { method: 'POST', body });
const calibrated_at = new Date(Date.now() - 3_600_000).toISOString();

async function setState(kind: 'qubits' | 'couplings', qid: string, values: Record<string, number>) {
  const data = Object.entries(values).map(([name, value]) => [
    `data.${name}`,
    storedParameter.parse({ parameter_name: name, value, calibrated_at }),
  ]);
  await api.database.db
    .collection<TargetDocument>(kind)
    .updateOne({ _id: keyOf(project, 'MEASURED', qid) }, { $set: Object.fromEntries(data) });
}

test('a project without a chip, or with one that was never calibrated, has no device', async () => {
  expect(expectError(await ask(), 404, 'not_found')).toContain('no chip');
  for (const chip_id of ['MEASURED', 'NEWER']) {
    await api.as(owner, project)('/chips', { method: 'POST', body: { chip_id, size: 4 } });
  }
  expect(expectError(await ask(), 404, 'not_found')).toContain('NEWER');
});

describe('the device of a project', () => {
  test('is the chip that was measured last', async () => {
    await api.database.db
      .collection<TaskResultDocument>('task_results')
      .insertOne(storedTask(project, owner, { chip_id: 'MEASURED' }));
    await setState('qubits', '0', { x90_gate_fidelity: 0.99, t1: 80 });
    await setState('qubits', '1', { x90_gate_fidelity: 0.98 });
    await setState('couplings', '0-1', { zx90_gate_fidelity: 0.95, zx90_gate_time: 300 });
    const made = read(
      device,
      await ask({
        name: 'ours',
        device_id: 'chip',
        qubits: [
          ['0', '1'],
          ['2', '9'],
        ],
      }),
    );
    expect(made).toMatchObject({ name: 'ours', device_id: 'chip', calibrated_at });
    expect(made.qubits.map(({ physical_id, fidelity }) => [physical_id, fidelity])).toEqual([
      [0, 0.99],
      [1, 0.98],
    ]);
    expect(made.couplings).toEqual([
      { control: 0, target: 1, fidelity: 0.95, gate_duration: { rzx90: 300 } },
    ]);
  });

  test('is refused for keys that are not known', async () => {
    expect((await ask({ chip_id: 'MEASURED' })).status).toBe(422);
    expect((await ask({ condition: { only: true } })).status).toBe(422);
  });
});

describe('the picture of a device', () => {
  test('is a PNG, of an empty device too', async () => {
    const made = read(device, await ask());
    for (const body of [made, { ...made, qubits: [], couplings: [] }]) {
      const answer = await ask(body, '/device-topology/plot');
      expect([answer.status, answer.headers['content-type']]).toEqual([200, 'image/png']);
      expect(answer.bytes.subarray(1, 4).toString()).toBe('PNG');
    }
  });

  test('waits for others only by turns, however many one user asks for', async () => {
    const made = read(device, await ask());
    const other = await api.makePerson();
    const theirs = await api.makeProject(other);
    const many = Array.from({ length: 150 }, () => ask(made, '/device-topology/plot'));
    const body = { ...made, name: 'theirs' };
    const answer = await api.as(other, theirs)('/device-topology/plot', { method: 'POST', body });
    expect(answer.status).toBe(200);
    const statuses = (await Promise.all(many)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
  });

  test('is 422 for a coupling to a qubit that is not there', async () => {
    const made = read(device, await ask());
    const couplings = [{ control: 0, target: 7, fidelity: 1, gate_duration: { rzx90: 20 } }];
    const answer = await ask({ ...made, couplings }, '/device-topology/plot');
    expectProblems(answer, [['value_error', 'body', 'couplings', 0, 'target']]);
    expect(answer.text).toContain('Input must be the id of one of the qubits; none has 7');
  });
});
