import { describe, expect, test } from 'vitest';
import { faultPlan } from '../../../../activities/backends/simulator/faults.ts';
import { createSimulator } from '../../../../activities/backends/simulator/simulator.ts';
import { muxOf } from '../../../../shared/science/device/device.ts';
import { staticZz, truePair } from '../../../../shared/science/device/pair-device.ts';
import { analyse } from '../../../../shared/tasks/analyses.ts';
import { gate } from '../../../../shared/tasks/gates.ts';
import { coverageSeeds, expectHonestErrors } from '../../../support/coverage-rules.ts';
import { perfectInputs } from '../../../support/drag-inputs.ts';
import { at, measure } from '../../../support/measured.ts';
import { promisedFigures } from '../promised-results.ts';

const TASK = 'SimultaneousRandomizedBenchmarking';
const LENGTH = 16;
const benchmark = (seed: string, qid = '0', changes: Record<string, number> = {}) =>
  measure(TASK, seed, { qid, inputs: { ...perfectInputs(seed, qid), ...changes } });

/** Fraction of a resonant rotation by a raised cosine at a detuning (GHz): its Fourier integral, as a sum. */
function reach(distance: number): number {
  const steps = 4000;
  const at = Array.from({ length: steps }, (_, step) => ((step + 0.5) / steps - 0.5) * LENGTH);
  return (
    at.reduce(
      (sum, t) => sum + (1 + Math.cos((2 * Math.PI * t) / LENGTH)) * Math.cos(2 * Math.PI * distance * t),
      0,
    ) / steps
  );
}

/** Average effect of random pulses on the other qubits of the line. */
function addedError(seed: string, qid: string): number {
  const simulator = createSimulator({ seed });
  const truth = (each: string) => simulator.truth('chip', each, at);
  const infidelity = (angle: number) => (2 / 3) * Math.sin(angle / 2) ** 2;
  return muxOf(qid)
    .qids.filter((other) => other !== qid)
    .reduce((sum, other) => {
      const pair = truePair(seed, { control: other, target: qid }, truth(other), truth(qid));
      const shifted = infidelity(2 * Math.PI * staticZz(pair) * LENGTH) / 2;
      const part = pair.crosstalk / pair.control.maximumRabiFrequency;
      return sum + shifted + infidelity((Math.PI / 2) * part * reach(pair.control.f01 - pair.target.f01));
    }, 0);
}

describe('SimultaneousRandomizedBenchmarking', () => {
  test('finds the outputs of the catalog and draws both curves', async () => {
    const measured = await benchmark('together', '3');
    const analysis = analyse(measured);
    for (const drawn of promisedFigures(measured, analysis)) {
      expect(drawn.layout.title.text).toMatch(/^Simul\w+ · qubit 3 · neighbours add .+ ± .+ per Clifford$/);
      expect(drawn.data.filter(({ error_y }) => error_y !== undefined)).toHaveLength(2);
    }
  });

  test('has honest errors over fixed seeds', async () => {
    const deviations: number[] = [];
    for (let index = 0; index < coverageSeeds(60); index++) {
      const [seed, qid] = [`together-${index}`, String(index % 16)];
      const measured = await benchmark(seed, qid);
      const analysis = analyse(measured);
      expect(gate(measured.task, analysis)).toBeNull();
      const { value, error } = analysis.outputs.crosstalk_error ?? expect.fail('no error');
      deviations.push((value - addedError(seed, qid)) / error);
    }
    expectHonestErrors(deviations);
  });

  test('detects a neighbour of the same frequency', async () => {
    const faults = faultPlan.parse({ defects: [{ qids: ['0'], defect: 'collision' }] });
    const inputs = perfectInputs('collision');
    const { f01 } = createSimulator({ seed: 'collision', faults }).truth('chip', '0', at);
    const collided = await measure(TASK, 'collision', {
      inputs: { ...inputs, qubit_frequency: f01 },
      faults,
    });
    const { value = 0, error = 0 } = analyse(collided).outputs.crosstalk_error ?? {};
    expect(value).toBeGreaterThan(10 * error);
    expect(value).toBeGreaterThan(addedError('collision', '0') + 5 * error);
  });

  test('refuses noise, a readout far off and invalid data', async () => {
    const faults = { rules: [{ match: {}, behaviour: 'noise' as const }] };
    for (let index = 0; index < 5; index++) {
      const seed = `noise-${index}`;
      const measured = await measure(TASK, seed, { inputs: perfectInputs(seed), faults });
      expect(gate(measured.task, analyse(measured))).not.toBeNull();
    }
    const unread = await benchmark('together', '0', { readout_frequency: 8.1 });
    expect(gate(unread.task, analyse(unread))).not.toBeNull();
    const measured = await benchmark('together');
    const { simultaneous_re: _, ...variables } = measured.dataset.variables;
    const one = { ...measured.dataset, variables };
    expect(analyse({ ...measured, dataset: one }).refused).toMatch(/simultaneous_re/);
  });
});
