import { describe, expect, test } from 'vitest';
import { createSimulator } from '../../../../activities/backends/simulator/simulator.ts';
import { randomFrom } from '../../../../shared/science/device/random.ts';
import { allXyPolarisations, fitAllXy } from '../../../../shared/science/fitting/all-xy.ts';
import { analyse } from '../../../../shared/tasks/analyses.ts';
import { gate } from '../../../../shared/tasks/gates.ts';
import { coverageSeeds, expectHonestErrors } from '../../../support/coverage-rules.ts';
import { perfectInputs } from '../../../support/drag-inputs.ts';
import { at, measure } from '../../../support/measured.ts';
import { spread } from '../honest-errors.ts';
import { promisedFigures } from '../promised-results.ts';

const TASK = 'CheckAllXY';

/** Pulses with a relative over-rotation and a drive below the qubit by the given detuning (GHz). */
function play(seed: string, qid: string, { error = 0, below = 0 }: { error?: number; below?: number } = {}) {
  const perfect = perfectInputs(seed, qid);
  const inputs = {
    ...perfect,
    qubit_frequency: perfect.qubit_frequency - below,
    drag_hpi_amplitude: (1 + error) * perfect.drag_hpi_amplitude,
    drag_pi_amplitude: (1 + error) * perfect.drag_pi_amplitude,
  };
  return measure(TASK, seed, { qid, inputs });
}

describe('CheckAllXY', () => {
  test('rises from the ground state by way of the middle to the excited state with perfect pulses', () => {
    const steps = allXyPolarisations({ half: 24, quarter: 16 }, 0, 0);
    expect(steps).toHaveLength(21);
    for (const [place, z] of steps.entries()) {
      expect(z).toBeCloseTo(place < 5 ? 1 : place < 17 ? 0 : -1, 9);
    }
  });

  test('finds its errors for any noise', () => {
    const random = randomFrom('all-xy');
    const places = Array.from({ length: 21 }, (_, place) => place);
    const lengths = { half: 24, quarter: 16 };
    for (let draw = 0; draw < 150; draw++) {
      const perfect = allXyPolarisations(lengths, 0.002 * random.normal(), 1e-5 * random.normal());
      const noisy = perfect.map((z) => z + 0.02 * random.normal());
      expect(fitAllXy(places, noisy, lengths).fit.ok).toBe(true);
    }
  });

  test('finds no error of good pulses, and draws the staircase with the names of the pairs', async () => {
    const measured = await play('all-xy', '3');
    const analysis = analyse(measured);
    for (const drawn of promisedFigures(measured, analysis)) {
      expect(drawn.layout.title.text).toMatch(
        /^CheckAllXY · qubit 3 · amplitude -?[\d.]+ ± [\d.]+ %, detuning -?[\d.]+ ± [\d.]+ MHz$/,
      );
      expect(drawn.layout.xaxis.ticktext?.at(8)).toBe('yx');
    }
  });

  test('has honest errors over fixed seeds, with wrong amplitudes and detuned drives', async () => {
    const deviations: [number[], number[]] = [[], []];
    for (let index = 0; index < coverageSeeds(60); index++) {
      const [seed, qid] = [`all-xy-${index}`, String(index % 16)];
      const given = { error: 0.004 * spread(index), below: 2e-4 * spread(index + 3) };
      const measured = await play(seed, qid, given);
      const { outputs, refused } = analyse(measured);
      expect(refused).toBeUndefined();
      const { f01 } = createSimulator({ seed, now: () => at }).truthOf(measured.request, qid, at);
      const drive = Number(measured.inputs.qubit_frequency?.value);
      const truths = { allxy_amplitude_error: given.error, allxy_detuning: 1000 * (f01 - drive) };
      for (const [place, [name, truth]] of Object.entries(truths).entries()) {
        const { value, error } = outputs[name] ?? expect.fail(`no ${name}`);
        deviations[place]?.push((value - truth) / error);
      }
    }
    for (const found of deviations) expectHonestErrors(found);
  });

  test('fails pulses that rotate 5 % too far, by the bounds of its output', async () => {
    const measured = await play('all-xy', '1', { error: 0.05 });
    expect(gate(measured.task, analyse(measured))?.rule).toBe('bounds');
  });

  test('refuses noise, readout without contrast and invalid data', async () => {
    const faults = { rules: [{ match: {}, behaviour: 'noise' as const }] };
    for (let index = 0; index < 5; index++) {
      const seed = `noise-${index}`;
      const measured = await measure(TASK, seed, { inputs: perfectInputs(seed), faults });
      expect(gate(measured.task, analyse(measured))).not.toBeNull();
    }
    const measured = await play('all-xy', '0');
    const empty = { dims: {}, coordinates: {}, variables: {} };
    expect(analyse({ ...measured, dataset: empty }).refused).toMatch(/pair/);
  });
});
