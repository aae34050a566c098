import { describe, expect, test } from 'vitest';
import { createSimulator } from '../../../../activities/backends/simulator/simulator.ts';
import type { TrueQubit } from '../../../../shared/science/device/device.ts';
import { dragAmplitude, dragLeakage, idealBeta } from '../../../../shared/science/device/drag-pulses.ts';
import { populationsAfterTone } from '../../../../shared/science/device/three-levels.ts';
import { analyse } from '../../../../shared/tasks/analyses.ts';
import { gate } from '../../../../shared/tasks/gates.ts';
import { coverageSeeds, expectHonestErrors } from '../../../support/coverage-rules.ts';
import { efInputs } from '../../../support/drag-inputs.ts';
import { at, measure } from '../../../support/measured.ts';
import { promisedFigures } from '../promised-results.ts';

const TASK = 'LeakageRandomizedBenchmarking';
const SHOTS = 65_536;
const truthOf = (seed: string, qid: string) => createSimulator({ seed }).truth('chip', qid, at);

function benchmark(
  seed: string,
  qid = '0',
  { lengthNs = 16, shots = SHOTS }: { lengthNs?: number; shots?: number } = {},
) {
  const qubit = truthOf(seed, qid);
  const inputs = {
    ...efInputs(seed, qid),
    thermal_population: qubit.thermalPopulation,
    drag_hpi_length: lengthNs,
    drag_hpi_amplitude: dragAmplitude(qubit, Math.PI / 2, lengthNs),
  };
  return measure(TASK, seed, { qid, inputs, run: { shots } });
}

/**
 * One pulse for each Clifford. Its spectrum drives transitions between the upper levels, and so do heating and decay
 * during it.
 */
function ratesOf(qubit: TrueQubit, lengthNs: number) {
  const amplitude = dragAmplitude(qubit, Math.PI / 2, lengthNs);
  const byPulse = dragLeakage(qubit, { amplitude, lengthNs, beta: idealBeta(qubit), frequency: qubit.f01 });
  const still = { frequency: qubit.f01, rabiFrequency: 0, durationNs: lengthNs };
  const climbed = populationsAfterTone(qubit, { excited: 0.5, second: 0 }, still).second;
  const stayed = populationsAfterTone(qubit, { excited: 0, second: 1 }, still).second;
  return { leakage_rate: byPulse + climbed, seepage_rate: 2 * byPulse + 1 - stayed };
}

describe('LeakageRandomizedBenchmarking', () => {
  test('finds the outputs of the catalog and draws the filling of the level', async () => {
    const measured = await benchmark('leakage', '7', { lengthNs: 6 });
    const analysis = analyse(measured);
    for (const drawn of promisedFigures(measured, analysis)) {
      expect(drawn.layout.title.text).toMatch(/^Leakage\w+ · qubit 7 · leakage .+ ± .+, seepage .+ ± .+$/);
      expect(drawn.data[0]?.error_y).toBeDefined();
    }
  });

  test('has honest errors over fixed seeds, with heating alone and with short pulses that leak', async () => {
    const deviations: Record<string, number[]> = { leakage_rate: [], seepage_rate: [] };
    for (let index = 0; index < coverageSeeds(70); index++) {
      const [seed, qid] = [`leakage-${index}`, String(index % 16)];
      const lengthNs = index % 3 === 0 ? 16 : 6;
      const measured = await benchmark(seed, qid, { lengthNs });
      const { outputs, refused } = analyse(measured);
      // The coldest qubits have almost no leakage.
      if (refused !== undefined) {
        expect(refused).toMatch(/is not resolved/);
        continue;
      }
      for (const [name, truth] of Object.entries(ratesOf(truthOf(seed, qid), lengthNs))) {
        const { value, error } = outputs[name] ?? expect.fail(`no ${name}`);
        deviations[name]?.push((value - truth) / error);
      }
    }
    for (const values of Object.values(deviations)) expectHonestErrors(values);
  });

  test('takes into account that large leakage scatters more between sequences', async () => {
    const deviations: Record<string, number[]> = { leakage_rate: [], seepage_rate: [] };
    for (let index = 0; index < 60; index++) {
      const [seed, qid] = [`much-${index}`, String(index % 16)];
      const { outputs } = analyse(await benchmark(seed, qid, { lengthNs: 6, shots: 16_384 }));
      for (const [name, truth] of Object.entries(ratesOf(truthOf(seed, qid), 6))) {
        const found = outputs[name];
        if (found !== undefined) deviations[name]?.push((found.value - truth) / found.error);
      }
    }
    for (const values of Object.values(deviations)) {
      // The RMS of this number of honest deviations scatters by 0.1.
      const rms = Math.sqrt(values.reduce((sum, value) => sum + value ** 2, 0) / values.length);
      expect(rms).toBeGreaterThan(0.7);
      expect(rms).toBeLessThan(1.35);
    }
  });

  test('requests more shots if a rate is not resolved, up to a limit', async () => {
    const measured = await benchmark('cold', '0', { shots: 2048 });
    const few = analyse(measured);
    expect(few.refused).toMatch(/^the \w+ is not resolved: .* per Clifford; measure with more shots$/);
    expect(few.again?.run).toEqual({ shots: { value: 8192, value_type: 'int' } });
    const shots = { value: 100_000, value_type: 'int', unit: '' };
    const most = analyse({ ...measured, runParameters: { ...measured.runParameters, shots } });
    expect(most.again).toBeUndefined();
  });

  test('refuses noise, a third state that cannot be distinguished, a frozen instrument and invalid data', async () => {
    const faults = { rules: [{ match: {}, behaviour: 'noise' as const }] };
    for (let index = 0; index < 5; index++) {
      const seed = `noise-${index}`;
      const measured = await measure(TASK, seed, { inputs: efInputs(seed), faults });
      expect(gate(measured.task, analyse(measured))).not.toBeNull();
    }
    const beside = await measure(TASK, 'beside', {
      inputs: { ...efInputs('beside'), ef_frequency: efInputs('beside').ef_frequency - 0.1 },
    });
    expect(analyse(beside).refused).toMatch(
      /^the second excited state cannot be distinguished from the others/,
    );
    const frozen = await benchmark('leakage');
    for (const name of ['iq_re', 'iq_im'] as const) {
      const values = frozen.dataset.variables[name]?.values ?? [];
      values.fill(values[40] ?? 0, 40);
    }
    expect(analyse(frozen).refused).toMatch(/repeats itself$/);
    const empty = { dims: {}, coordinates: {}, variables: {} };
    expect(analyse({ ...frozen, dataset: empty }).refused).toMatch(/reference_re/);
  });
});
