import { describe, expect, test } from 'vitest';
import { createSimulator } from '../../../../activities/backends/simulator/simulator.ts';
import type { TrueQubit } from '../../../../shared/science/device/device.ts';
import { dragRotation } from '../../../../shared/science/device/drag-pulses.ts';
import { figure } from '../../../../shared/science/figures/model.ts';
import { rotateVector } from '../../../../shared/science/quantum/rotations.ts';
import { analyse } from '../../../../shared/tasks/analyses.ts';
import { gate } from '../../../../shared/tasks/gates.ts';
import { coverageSeeds, expectHonestErrors } from '../../../support/coverage-rules.ts';
import { perfectInputs } from '../../../support/drag-inputs.ts';
import { at, measure } from '../../../support/measured.ts';
import { spread } from '../honest-errors.ts';

const TASK = 'CheckFineAmplitude';

/** Inputs with pulses that rotate too far by these fractions. */
function inputsOf(seed: string, qid: string, { hpi = 0, pi = 0 }: { hpi?: number; pi?: number } = {}) {
  const perfect = perfectInputs(seed, qid);
  return {
    ...perfect,
    drag_hpi_amplitude: (1 + hpi) * perfect.drag_hpi_amplitude,
    drag_pi_amplitude: (1 + pi) * perfect.drag_pi_amplitude,
  };
}

/** The amplitude at which the device's pulse has the same final state as a perfect one. */
function trueAmplitude(
  qubit: TrueQubit,
  inputs: ReturnType<typeof perfectInputs>,
  pulse: 'drag_hpi' | 'drag_pi',
): number {
  const [lengthNs, beta, guess] = [
    inputs[`${pulse}_length`],
    inputs[`${pulse}_beta`],
    inputs[`${pulse}_amplitude`],
  ];
  // z vanishes after a quarter turn, y after a half turn.
  const missed = (amplitude: number) => {
    const rotation = dragRotation(qubit, { amplitude, lengthNs, beta, frequency: inputs.qubit_frequency });
    const { y, z } = rotateVector(rotation, { x: 0, y: 0, z: 1 });
    return pulse === 'drag_hpi' ? z : -y;
  };
  let [low, high] = [0.8 * guess, 1.2 * guess];
  for (let round = 0; round < 50; round++) {
    const middle = (low + high) / 2;
    if (missed(middle) > 0) low = middle;
    else high = middle;
  }
  return low;
}

describe(TASK, () => {
  test('finds the correct amplitudes of the hidden device, with honest errors of a few hundredths of a percent', async () => {
    const deviations: [number[], number[]] = [[], []];
    for (let index = 0; index < coverageSeeds(80); index++) {
      const [seed, qid] = [`fine-amplitude-${index}`, String(index % 16)];
      const inputs = inputsOf(seed, qid, { hpi: 0.006 * spread(index), pi: 0.006 * spread(index + 3) });
      const measured = await measure(TASK, seed, { qid, inputs });
      const { outputs, refused } = analyse(measured);
      expect(refused).toBeUndefined();
      const qubit = createSimulator({ seed, now: () => at }).truthOf(measured.request, qid, at);
      for (const [place, pulse] of (['drag_hpi', 'drag_pi'] as const).entries()) {
        const { value, error } = outputs[`${pulse}_amplitude`] ?? expect.fail(`no ${pulse}_amplitude`);
        expect(error / value).toBeLessThan(3e-4);
        deviations[place]?.push((value - trueAmplitude(qubit, inputs, pulse)) / error);
      }
    }
    for (const found of deviations) expectHonestErrors(found);
  });

  test('shows by its sign whether a pulse rotates too far, and draws both trains', async () => {
    const measured = await measure(TASK, 'fine', {
      qid: '3',
      inputs: inputsOf('fine', '3', { hpi: 0.03, pi: -0.03 }),
    });
    const analysis = analyse(measured);
    expect(gate(measured.task, analysis)).toBeNull();
    expect(Object.keys(analysis.outputs).sort()).toEqual(Object.keys(measured.task.outputs).sort());
    expect(analysis.outputs.drag_hpi_amplitude_error?.value).toBeGreaterThan(0.02);
    expect(analysis.outputs.drag_pi_amplitude_error?.value).toBeLessThan(-0.02);
    expect(analysis.figures).toHaveLength(2);
    for (const drawn of analysis.figures) expect(figure.parse(drawn)).toEqual(drawn);
    const [, halves] = analysis.figures;
    expect(halves?.layout.title.text).toMatch(
      /^CheckFineAmplitude · qubit 3 · pi turns too far by -[\d.]+ ± [\d.]+ %$/,
    );
  });

  test('fails pulses with errors beyond its correction, noise, and trains with one frozen value', async () => {
    const far = await measure(TASK, 'far', { qid: '1', inputs: inputsOf('far', '1', { hpi: 0.2, pi: 0.2 }) });
    expect(gate(far.task, analyse(far))).not.toBeNull();
    for (let index = 0; index < 5; index++) {
      const seed = `noise-${index}`;
      const faults = { rules: [{ match: {}, behaviour: 'noise' as const }] };
      const measured = await measure(TASK, seed, { inputs: perfectInputs(seed), faults });
      expect(gate(measured.task, analyse(measured))).not.toBeNull();
    }
    const faults = { rules: [], phenomena: [{ phenomenon: 'stuck_digitiser' as const, size: 1 }] };
    const frozen = await measure(TASK, 'frozen', { inputs: perfectInputs('frozen'), faults });
    expect(gate(frozen.task, analyse(frozen))).not.toBeNull();
  });

  test('refuses invalid data and unknown pulses', async () => {
    const measured = await measure(TASK, 'fine', { inputs: perfectInputs('fine') });
    const empty = { dims: {}, coordinates: {}, variables: {} };
    expect(analyse({ ...measured, dataset: empty }).refused).toMatch(/reference/);
    expect(analyse({ ...measured, inputs: {} }).refused).toMatch(/are unknown$/);
    const { hpi_re: _, ...variables } = measured.dataset.variables;
    expect(analyse({ ...measured, dataset: { ...measured.dataset, variables } }).refused).toMatch(/hpi/);
  });
});
