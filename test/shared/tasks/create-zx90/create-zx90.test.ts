import { expect, test } from 'vitest';
import { mean } from '../../../../shared/science/fitting/statistics.ts';
import { analyse } from '../../../../shared/tasks/analyses.ts';
import { gate } from '../../../../shared/tasks/gates.ts';
import { measurePair } from '../../../support/pairs.ts';
import { changed, failureOf, PAIR_SEED, pairWithGate } from '../pair-failures.ts';

test('a gate is refused if the signals are not equal within the sweep', async () => {
  const known = await pairWithGate();
  const slower = changed(known, 'coupling', 'zx_rotation_rate', (value) => 3 * value);
  expect(await failureOf(slower, ['CreateZX90'])).toMatch(/^CreateZX90: The fit of CreateZX90/);
});

test('a gate that is created again keeps its length, and its amplitude may change in either direction', async () => {
  const known = await pairWithGate();
  const [before, length] = [known.coupling['cr_amplitude'], known.coupling['zx90_gate_time']];
  for (const factor of [0.93, 1, 1.07]) {
    const moved = changed(known, 'coupling', 'cr_amplitude', (value) => factor * value);
    const scaled = changed(moved, 'coupling', 'cancel_amplitude', (value) => factor * value);
    const measured = await measurePair('CreateZX90', { seed: PAIR_SEED, qid: '0-2' }, scaled);
    const analysis = analyse(measured);
    expect(gate(measured.task, analysis)).toBeNull();
    const { cr_amplitude, zx90_gate_time } = analysis.outputs;
    expect(zx90_gate_time?.value).toBe(length?.value);
    expect(cr_amplitude?.value).toBeCloseTo(before?.value ?? Number.NaN, 2);
  }
});

test.each<[string, (part: number) => { offset: number; gain: number }]>([
  ['its offset drifts along the axis of both states', (part) => ({ offset: 0.2 * part, gain: 1 })],
  ['its offset jumps along that axis', (part) => ({ offset: part > 0.6 ? 0.15 : 0, gain: 1 })],
  ['it loses a tenth of its gain', (part) => ({ offset: 0, gain: part > 0.4 ? 0.9 : 1 })],
])('a change of the instrument (%s) is detected by comparing one gate with three gates', async (_, at) => {
  const measured = await measurePair('CreateZX90', { seed: PAIR_SEED, qid: '0-2' }, await pairWithGate());
  expect(gate(measured.task, analyse(measured))).toBeNull();
  const { variables } = measured.dataset;
  for (const part of ['re', 'im']) {
    const [signal, reference] = [variables[`iq_${part}`], variables[`reference_${part}`]];
    if (signal === undefined || reference === undefined) expect.fail('no signals');
    const half = reference.values.length / 2;
    const place = (row: number) => mean(reference.values.slice(row * half, (row + 1) * half).map(Number));
    const distance = place(1) - place(0);
    signal.values = signal.values.map((value, index) => {
      const { offset, gain } = at(index / signal.values.length);
      // The gain is relative to the ground state, so that no signal leaves the axis.
      return place(0) + gain * (Number(value) - place(0)) + offset * distance;
    });
  }
  expect(gate(measured.task, analyse(measured))?.message).toMatch(/does not describe the data|is beyond the/);
});
