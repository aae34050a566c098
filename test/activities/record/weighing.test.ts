import { afterAll, beforeAll, expect, test } from 'vitest';
import { planTask } from '../../../activities/planning.ts';
import { newTaskRow } from '../../../activities/record/preparing.ts';
import { weigh } from '../../../activities/record/weighing.ts';
import type {
  DoubtedValues,
  StoredParameters,
  TaskResultDocument,
} from '../../../shared/domain/results/model.ts';
import { NO_TASK, type TaskId } from '../../../shared/kernel/ids.ts';
import { newId } from '../../../shared/kernel/new-ids.ts';
import { findTask } from '../../../shared/tasks/catalog.ts';
import { executionNamed, taskNamed } from '../../support/ids.ts';
import { type Laboratory, openLaboratory, runOf } from '../../support/laboratory.ts';

let lab: Laboratory;
beforeAll(async () => {
  lab = await openLaboratory();
});
afterAll(() => lab.close());

const HOUR_MS = 3_600_000;
const definition = findTask('CheckT1') ?? expect.fail('no CheckT1');

interface Before {
  t1?: number;
  hours: number;
  doubted?: DoubtedValues;
  cooldown?: string | null;
}

/** A qubit with results of CheckT1, oldest first, of which the last with a value is its calibration state. */
async function qubitWith(before: readonly Before[]) {
  const place = await lab.newProject({ blank: true });
  const run = { ...runOf(place, executionNamed('20260102-000')), epoch: 1, flow_run_id: newId() };
  const task = { definition, planned: planTask(definition, []).task };
  let data: StoredParameters = {};
  const rowOf = (task_id: TaskId, cooldown: string | null, hours: number) => {
    const at = { run, stage: 0, target: '0', index: 0, task_id, upstream_id: NO_TASK };
    return newTaskRow(at, task, cooldown, new Date(Date.now() - hours * HOUR_MS));
  };
  const rows = before.map(({ t1, hours, doubted, cooldown = 'cold' }): TaskResultDocument => {
    const end_at = new Date(Date.now() - hours * HOUR_MS);
    const row = { ...rowOf(taskNamed(newId()), cooldown, hours), end_at };
    if (t1 === undefined) return { ...row, status: 'failed', ...(doubted && { doubted }) };
    const calibrated_at = new Date(Date.now() - hours * HOUR_MS).toISOString();
    const output = {
      parameter_name: 't1',
      qid_role: '',
      required: false,
      value: t1,
      value_type: 'float',
      error: 1,
      unit: 'us',
      description: '',
      calibrated_at,
      execution_id: row.execution_id,
      task_id: row.task_id,
    };
    data = { t1: output };
    return { ...row, status: 'completed', output_parameters: data, output_parameter_names: ['t1'] };
  });
  await lab.areas.results.createMany(rows);
  const weighed = (
    found: DoubtedValues,
    {
      passes = [] as DoubtedValues[],
      mayMeasureAgain = true,
      state = data,
      of = definition,
      inputs = {} as StoredParameters,
    } = {},
  ) =>
    weigh(
      lab.areas.results,
      {
        row: {
          ...rowOf(taskNamed(newId()), 'cold', 0),
          name: of.name,
          input_parameters: inputs,
          passes: passes.map((doubted) => ({ id: newId(), reason: '', raw_data_path: [], doubted })),
        },
        definition: of,
        target: { data: state },
        mayMeasureAgain,
      },
      found,
    );
  return {
    data,
    weighed,
    find: (t1: number, options: Parameters<typeof weighed>[1] = {}) => weighed(t1Of(t1), options),
  };
}

const t1Of = (value: number, error = 0.3): DoubtedValues => ({ t1: { value, error } });
/** Calibration state with one more value of the same origin, or of another. */
const withValue = (state: StoredParameters, name: string, value: number, task_id?: TaskId) => {
  const t1 = state['t1'] ?? expect.fail('no t1');
  return {
    ...state,
    [name]: { ...t1, parameter_name: name, value, error: value / 50, ...(task_id && { task_id }) },
  };
};

test('a value near the one before is taken over, one that jumped is measured a second time', async () => {
  const qubit = await qubitWith([{ t1: 38, hours: 2 }]);
  expect(await qubit.find(35)).toEqual({ remarks: [] });
  expect(await qubit.find(7.7)).toMatchObject({ confirm: expect.stringMatching(/^t1 is 7\.70 .* 38\.0 /) });
});

test('a second measurement that is as before is taken over, and the one that it did not confirm is named', async () => {
  const qubit = await qubitWith([{ t1: 38, hours: 2 }]);
  expect(await qubit.find(37, { passes: [t1Of(7.7)] })).toEqual({
    remarks: ['A second measurement did not confirm t1 of 7.70 ± 0.30 us.'],
  });
});

test('only what was doubted is named as not confirmed, also where the quantity itself is not known to wander', async () => {
  const qubit = await qubitWith([{ t1: 38, hours: 1 }]);
  const ramsey = {
    of: findTask('CheckRamsey') ?? expect.fail('no CheckRamsey'),
    passes: [{ qubit_frequency: { value: 8, error: 1e-6 }, t2_star: { value: 500, error: 5 } }],
  };
  const usual = { qubit_frequency: { value: 8, error: 1e-6 }, t2_star: { value: 20, error: 1 } };
  expect(await qubit.weighed(usual, ramsey)).toEqual({
    remarks: ['A second measurement did not confirm t2_star of 500.0 ± 5.0 us.'],
  });
  const benchmarking = {
    of: findTask('RandomizedBenchmarking') ?? expect.fail('no RandomizedBenchmarking'),
    passes: [{ average_gate_fidelity: { value: 0.99999, error: 1e-6 } }],
    state: withValue(qubit.data, 'drag_hpi_length', 16),
  };
  const found = { average_gate_fidelity: { value: 0.999, error: 1e-5 } };
  expect(await qubit.weighed(found, benchmarking)).toEqual({
    remarks: [
      expect.stringMatching(/^A second measurement did not confirm average_gate_fidelity of 0\.99999/),
    ],
  });
});

test('three values of which no two agree are refused with all of them, and not measured for ever', async () => {
  const qubit = await qubitWith([{ t1: 38, hours: 2 }]);
  expect(await qubit.find(150, { passes: [t1Of(7.7)] })).toMatchObject({
    refused: expect.stringMatching(
      /^CheckT1 found what does not match .* t1 is 150\.00 ± 0\.30 us after 38\.0 ± 1\.0 us 2 h before, .*\. The measurement before gave t1 of 7\.70 ± 0\.30 us, which does not agree\.$/,
    ),
  });
});

test('where a task may not measure again, its next result confirms', async () => {
  const qubit = await qubitWith([{ t1: 38, hours: 2 }]);
  expect(await qubit.find(7.7, { mayMeasureAgain: false })).toMatchObject({
    refused: expect.stringMatching(/measured once; the next measurement that agrees is taken over\.$/),
  });
  const refused = await qubitWith([
    { t1: 38, hours: 2 },
    { hours: 1, doubted: t1Of(7.7) },
  ]);
  expect(await refused.find(7.9, { mayMeasureAgain: false })).toMatchObject({
    remarks: [expect.stringMatching(/^Warning: t1 is 7\.90 .* a second measurement agrees\.$/)],
  });
  expect(await refused.find(80)).toMatchObject({ confirm: expect.any(String) });
});

test('nothing is doubted for a value that somebody set, nor for one of another cool-down', async () => {
  const qubit = await qubitWith([{ t1: 38, hours: 2, cooldown: 'an earlier one' }]);
  expect(await qubit.find(7.7)).toEqual({ remarks: [] });
  const t1 = qubit.data['t1'] ?? expect.fail('no t1');
  expect(await qubit.find(7.7, { state: { t1: { ...t1, task_id: taskNamed(newId()) } } })).toEqual({
    remarks: [],
  });
});

test('every known value that a doubt rests on must have been measured in this cool-down', async () => {
  const qubit = await qubitWith([{ t1: 38, hours: 1 }]);
  const setByHand = newId();
  expect(await qubit.find(36, { state: withValue(qubit.data, 't2_echo', 400) })).toMatchObject({
    confirm: expect.stringMatching(/^t2_echo of 400/),
  });
  expect(
    await qubit.find(36, { state: withValue(qubit.data, 't2_echo', 400, taskNamed(setByHand)) }),
  ).toEqual({
    remarks: [],
  });
  const of = findTask('RandomizedBenchmarking') ?? expect.fail('no RandomizedBenchmarking');
  const gate = withValue(qubit.data, 'drag_hpi_length', 16);
  const found = { average_gate_fidelity: { value: 1 - 3e-4, error: 1e-5 } };
  expect(await qubit.weighed(found, { of, state: withValue(gate, 't2_echo', 5) })).toMatchObject({
    confirm: expect.any(String),
  });
  expect(
    await qubit.weighed(found, { of, state: withValue(gate, 't2_echo', 5, taskNamed(setByHand)) }),
  ).toEqual({
    remarks: [],
  });
});

test('a jump to the line of two photons is refused, and only a jump where the anharmonicity was set', async () => {
  const qubit = await qubitWith([{ t1: 38, hours: 1 }]);
  const of = findTask('CheckQubitSpectroscopy') ?? expect.fail('no CheckQubitSpectroscopy');
  const found = { coarse_qubit_frequency: { value: 7.82, error: 5e-4 } };
  const frequency = withValue(qubit.data, 'coarse_qubit_frequency', 8);
  const sharp = frequency['coarse_qubit_frequency'] ?? expect.fail('no frequency');
  const state = { ...frequency, coarse_qubit_frequency: { ...sharp, error: 1e-3 } };
  const withAnharmonicity = (task_id?: TaskId) => withValue(state, 'anharmonicity', -0.36, task_id);
  const twice = { of, passes: [found] };
  expect(await qubit.weighed(found, { ...twice, state: withAnharmonicity() })).toMatchObject({
    refused: expect.stringMatching(/two photons/),
  });
  expect(
    await qubit.weighed(found, { ...twice, state: withAnharmonicity(taskNamed(newId())) }),
  ).toMatchObject({
    remarks: [expect.stringMatching(/^Warning: coarse_qubit_frequency/)],
  });
});

test('an earlier doubted value confirms within the drift since it was found', async () => {
  const found = async (hours: number) => {
    const qubit = await qubitWith([
      { t1: 38, hours: 102 },
      { hours, doubted: t1Of(2.5, 0.01) },
    ]);
    return qubit.weighed(t1Of(1, 0.01));
  };
  expect(await found(100)).toMatchObject({ remarks: [expect.stringMatching(/^Warning: t1 is 1\.00/)] });
  expect(await found(0.1)).toMatchObject({ confirm: expect.any(String) });
});

test('a quantity that was seen to wander may go as far again', async () => {
  const values = [38, 12, 41, 9, 35, 60, 10, 38].map((t1, index) => ({ t1, hours: 8 - index }));
  const qubit = await qubitWith(values);
  expect(await qubit.find(7.7)).toEqual({ remarks: [] });
});

test('nothing is doubted against a value of another task whose newest result contradicts it', async () => {
  const echo = { of: findTask('CheckT2Echo') ?? expect.fail('no CheckT2Echo') };
  const found = { t2_echo: { value: 180, error: 4 } };
  const held = await qubitWith([{ t1: 38, hours: 1 }]);
  expect(await held.weighed(found, echo)).toMatchObject({ confirm: expect.stringMatching(/twice the t1/) });
  const open = await qubitWith([
    { t1: 38, hours: 1 },
    { hours: 0.5, doubted: t1Of(120) },
  ]);
  expect(await open.weighed(found, echo)).toEqual({ remarks: [] });
  const settled = await qubitWith([
    { hours: 1, doubted: t1Of(120) },
    { t1: 38, hours: 0.5 },
  ]);
  expect(await settled.weighed(found, echo)).toMatchObject({
    confirm: expect.stringMatching(/twice the t1/),
  });
});

test('a coherence limit tells that it was computed with a time that a later measurement contradicts', async () => {
  const limit = { of: findTask('Check1QGateCoherenceLimit') ?? expect.fail('no Check1QGateCoherenceLimit') };
  const found = { one_qubit_gate_coherence_limit: { value: 0.999, error: 1e-5 } };
  const open = await qubitWith([
    { t1: 38, hours: 26 },
    { hours: 1, doubted: t1Of(7.7) },
  ]);
  expect(await open.weighed(found, { ...limit, inputs: open.data })).toEqual({
    remarks: [
      'It was computed with t1 of 38.0 ± 1.0 us of 26 h before, after which 7.70 ± 0.30 us was measured and refused.',
    ],
  });
  const usual = await qubitWith([{ t1: 38, hours: 26 }]);
  expect(await usual.weighed(found, { ...limit, inputs: usual.data })).toEqual({ remarks: [] });
});
