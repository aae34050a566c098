import { beforeAll, expect, test } from 'vitest';
import { type SeedValue, seedQubits } from '../../../shared/domain/chips/index.ts';
import { dragAmplitude, idealBeta } from '../../../shared/science/device/drag-pulses.ts';
import { commonLaboratory } from '../../support/common-laboratory.ts';
import type { Laboratory } from '../../support/laboratory.ts';
import { pairChain } from '../../support/pairs.ts';

let lab: Laboratory;
beforeAll(async () => {
  lab = await commonLaboratory();
});

const PAIR = '0-1';

function pairFlow(tasks: readonly string[], targets: string): string {
  return `export async function flow(session) {
  await session.run({ name: 'pairs', tasks: ${JSON.stringify(tasks)}, targets: ${targets} });
}
`;
}

/** A project whose first two qubits are calibrated as finely as tasks of pairs need. */
async function calibratedProject() {
  const place = await lab.newProject();
  const at = new Date();
  const values = ['0', '1'].map((qid) => {
    const truth = lab.simulator.truth(place.chipId, qid, at);
    const value = (number: number, unit: string): SeedValue => ({
      value: number,
      value_type: 'float',
      unit,
      description: '',
    });
    return [
      qid,
      {
        qubit_frequency: value(truth.f01, 'GHz'),
        drag_hpi_amplitude: value(dragAmplitude(truth, Math.PI / 2, 16), 'a.u.'),
        drag_hpi_length: value(16, 'ns'),
        drag_hpi_beta: value(idealBeta(truth), 'ns'),
        t1_average: value(truth.t1, 'us'),
        t2_echo_average: value(truth.t2Echo, 'us'),
      },
    ] as const;
  });
  await seedQubits(lab.seedStores, { project_id: place.projectId, chip_id: place.chipId }, new Map(values));
  return place;
}

test('a pair is calibrated from its qubits, and what is found is kept with the coupling', async () => {
  const place = await calibratedProject();
  const before = await lab.areas.chips.state.read(place.projectId, place.chipId, 'qubit', '0');
  const run = await lab.startFlow(place, pairFlow(pairChain, `session.targets.pairs(['${PAIR}'])`));
  const execution = await lab.ended(place.projectId, run.execution_id);
  const rows = await lab.tasksOf(place.projectId, run.execution_id);
  expect(rows.map(({ name, status, message }) => [name, status, message])).toEqual(
    pairChain.map((name) => [name, 'completed', `${name} is completed.`]),
  );
  expect(execution.status).toBe('completed');

  const coupling = await lab.areas.chips.state.read(place.projectId, place.chipId, 'coupling', PAIR);
  expect(coupling?.status).toBe('completed');
  expect(coupling?.data['cr_amplitude']).toMatchObject({ qid_role: 'control', unit: 'a.u.' });
  expect(coupling?.data['cancel_amplitude']?.qid_role).toBe('target');
  expect(coupling?.data['bell_state_fidelity']?.qid_role).toBe('coupling');
  for (const qid of ['0', '1']) {
    const qubit = await lab.areas.chips.state.read(place.projectId, place.chipId, 'qubit', qid);
    expect(Object.keys(qubit?.data ?? {})).toEqual(Object.keys(before?.data ?? {}));
  }

  const [tomography, gate] = [rows[1], rows[2]];
  expect(gate?.input_parameters['control_qubit_frequency']).toMatchObject({
    parameter_name: 'qubit_frequency',
    qid_role: 'control',
    source: 'database',
  });
  expect(gate?.output_parameters['cr_amplitude']).toMatchObject({
    qid_role: 'control',
    previous_database_value: tomography?.output_parameters['cr_amplitude']?.value,
  });
  expect(tomography?.figure_path).toHaveLength(9);
  expect(tomography?.raw_data_path).toHaveLength(1);

  const [day] = await lab.database.db
    .collection('coupling_history')
    .find({ project_id: place.projectId, qid: PAIR })
    .toArray();
  expect(day?.['data'].zx90_gate_time.value).toBe(coupling?.data['zx90_gate_time']?.value);
});

test('a value of a pair names both of its qubits and the pair itself in its lineage', async () => {
  const place = await calibratedProject();
  const tasks = ['CheckCrossResonance', 'CreateZX90'];
  const run = await lab.startFlow(place, pairFlow(tasks, `session.targets.pairs(['${PAIR}'])`));
  await lab.ended(place.projectId, run.execution_id);
  const [, gate] = await lab.tasksOf(place.projectId, run.execution_id);
  const entity = `zx90_gate_time:Q0-Q1:${run.execution_id}:${gate?.task_id}`;
  const lineage = await lab.areas.provenance.lineage(place.projectId, entity, 3);
  const used = (lineage?.nodes ?? []).flatMap(({ entity: node }) => (node ? [node] : []));
  const qidsOf = (parameter: string) =>
    new Set(used.filter((node) => node.parameter_name === parameter).map((node) => node.qid));
  expect(qidsOf('qubit_frequency')).toEqual(new Set(['Q0', 'Q1']));
  expect(qidsOf('cr_phase')).toEqual(new Set(['Q0-Q1']));
  const versions = await lab.areas.provenance.history(place.projectId, 'cr_amplitude', PAIR, 10);
  expect(versions.versions.map(({ version, task_name }) => [version, task_name])).toEqual([
    [2, 'CreateZX90'],
    [1, 'CheckCrossResonance'],
  ]);
});

test('a pair whose qubits are not calibrated fails before hardware, naming what is missing of whom', async () => {
  const place = await lab.newProject();
  const run = await lab.startFlow(
    place,
    pairFlow(['CheckCrossResonance', 'CreateZX90'], `session.targets.pairs(['${PAIR}'])`),
  );
  expect((await lab.ended(place.projectId, run.execution_id)).status).toBe('failed');
  const rows = await lab.tasksOf(place.projectId, run.execution_id);
  expect(rows.map(({ status }) => status)).toEqual(['failed', 'skipped']);
  expect(rows[0]?.message).toBe(
    'CheckCrossResonance needs values that target 0-1 does not have yet: control_drag_hpi_amplitude, control_drag_hpi_length, control_drag_hpi_beta.',
  );
  expect(await lab.journal(place.projectId, run.execution_id)).toEqual([]);
});

test.each([
  ['CheckCrossResonance', `['0']`, 'CheckCrossResonance measures couplings, and chip CHIP has none named 0.'],
  ['CheckRabi', `['0-1']`, 'CheckRabi measures qubits, and chip CHIP has none named 0-1.'],
])('%s refuses the targets %s', async (task, targets, message) => {
  const place = await lab.newProject();
  const run = await lab.startFlow(place, pairFlow([task], targets));
  const execution = await lab.ended(place.projectId, run.execution_id);
  expect(execution.status).toBe('failed');
  expect(execution.message).toContain(message);
  expect(await lab.tasksOf(place.projectId, run.execution_id)).toEqual([]);
});
