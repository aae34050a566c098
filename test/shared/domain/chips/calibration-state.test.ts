import { beforeAll, expect, test } from 'vitest';
import type { StoredParameter } from '../../../../shared/domain/results/model.ts';
import { NO_EXECUTION, NO_TASK } from '../../../../shared/kernel/ids.ts';
import { commonLaboratory } from '../../../support/common-laboratory.ts';

import type { Laboratory } from '../../../support/laboratory.ts';

let lab: Laboratory;
beforeAll(async () => {
  lab = await commonLaboratory();
});

const day = { recorded_date: '20261121', cooldown_id: null };

function stored(parameter_name: string, value: number): StoredParameter {
  const text = {
    qid_role: '',
    value_type: 'float',
    unit: 'us',
    description: '',
    execution_id: NO_EXECUTION,
    task_id: NO_TASK,
  };
  return { ...text, parameter_name, value, required: false };
}

test('who writes what it has read keeps what somebody else has written since, in state and snapshot', async () => {
  const { projectId: project_id, chipId: chip_id } = await lab.newProject();
  const { state } = lab.areas.chips;
  const targets = ['0', '1', '2'].map((qid) => ({ project_id, chip_id, kind: 'qubit' as const, qid }));
  const read = ({ qid }: { qid: string }) => state.read(project_id, chip_id, 'qubit', qid);
  const seen = await Promise.all(targets.map(read));
  const [first] = targets;
  if (!first) throw new Error('no target');
  await state.exchange(first, { t2_star: null }, { t2_star: stored('t2_star', 30) }, day);
  const change = { status: 'completed' as const, data: { t1: stored('t1', 40) } };
  const order = { epoch: 9, sequence: 1 };
  // Of one command: that the first has changed is told of none of them.
  const written = await Promise.all(
    targets.map((target, index) => state.write({ ...target, seen: seen[index] ?? null }, order, change, day)),
  );
  await Promise.all(written.map(({ snapshot }) => snapshot()));
  const values = (data: Record<string, { value: unknown }> | undefined) => [
    data?.['t1']?.value,
    data?.['t2_star']?.value,
  ];
  const after = await Promise.all(targets.map(read));
  expect(after.map((target) => values(target?.data))).toEqual([
    [40, 30],
    [40, undefined],
    [40, undefined],
  ]);
  const qids = targets.map(({ qid }) => qid);
  for (const [name, shown] of [
    ['t1', [40, 40, 40]],
    ['t2_star', [30, undefined, undefined]],
  ] as const) {
    const snapshots = await state.snapshotsOfDay(
      { project_id, chip_id, kind: 'qubit' },
      qids,
      day.recorded_date,
      name,
    );
    expect(qids.map((qid) => snapshots.get(qid)?.value)).toEqual(shown);
  }
});

test('a write that knows its target leaves in the snapshot what the target held, and is refused after a later one', async () => {
  const { projectId: project_id, chipId: chip_id } = await lab.newProject();
  const { state } = lab.areas.chips;
  const target = { project_id, chip_id, kind: 'qubit' as const, qid: '0' };
  const write = async (sequence: number, name: string, value: number) => {
    const seen = await state.read(project_id, chip_id, 'qubit', '0');
    const change = { status: 'completed' as const, data: { [name]: stored(name, value) } };
    await (await state.write({ ...target, seen }, { epoch: 9, sequence }, change, day)).snapshot();
  };
  await write(1, 't1', 40);
  await write(2, 't2_star', 30);
  await expect(write(1, 't1', 50)).rejects.toThrow(/newer run/);
  const snapshot = async (name: string) =>
    (await state.snapshotsOfDay({ project_id, chip_id, kind: 'qubit' }, ['0'], day.recorded_date, name)).get(
      '0',
    );
  expect([(await snapshot('t1'))?.value, (await snapshot('t2_star'))?.value]).toEqual([40, 30]);
});
