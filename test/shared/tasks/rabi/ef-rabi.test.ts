import { describe, expect, test } from 'vitest';
import { createSimulator } from '../../../../activities/backends/simulator/simulator.ts';
import { analyse } from '../../../../shared/tasks/analyses.ts';
import { gate } from '../../../../shared/tasks/gates.ts';
import { coverageSeeds, expectHonestErrors } from '../../../support/coverage-rules.ts';
import { efInputs } from '../../../support/drag-inputs.ts';
import { at, measure } from '../../../support/measured.ts';
import { spread } from '../honest-errors.ts';
import { promisedFigures } from '../promised-results.ts';

const TASK = 'CheckEFRabi';
const oscillate = (seed: string, qid = '0', changes: Record<string, number> = {}) =>
  measure(TASK, seed, { qid, inputs: { ...efInputs(seed, qid), ...changes } });

describe('CheckEFRabi', () => {
  test('finds the outputs of the catalog and draws the oscillation', async () => {
    const measured = await oscillate('ef', '5');
    const analysis = analyse(measured);
    for (const drawn of promisedFigures(measured, analysis)) {
      expect(drawn.layout.title.text).toMatch(/^CheckEFRabi · qubit 5 · /);
    }
  });

  test('has honest errors over fixed seeds, with a drive detuned by up to 3 MHz', async () => {
    const deviations: Record<string, number[]> = { ef_maximum_rabi_frequency: [], ef_control_amplitude: [] };
    for (let index = 0; index < coverageSeeds(60); index++) {
      const [seed, qid] = [`ef-rabi-${index}`, String(index % 16)];
      const given = efInputs(seed, qid);
      const measured = await oscillate(seed, qid, {
        ef_frequency: given.ef_frequency + 1e-3 * spread(index),
      });
      const analysis = analyse(measured);
      expect(gate(measured.task, analysis)).toBeNull();
      const qubit = createSimulator({ seed }).truthOf(measured.request, qid, at);
      // The detuned drive of the first transition contributes (Ω/2α)² of the state, and half of that of the rate.
      const mixed = (0.0125 / (2 * qubit.anharmonicity)) ** 2;
      const maximum = 1000 * Math.SQRT2 * qubit.maximumRabiFrequency * (1 - mixed / 2);
      for (const [name, truth] of Object.entries({
        ef_maximum_rabi_frequency: maximum,
        ef_control_amplitude: 12.5 / maximum,
      })) {
        const { value, error } = analysis.outputs[name] ?? expect.fail(`no ${name}`);
        deviations[name]?.push((value - truth) / error);
      }
    }
    for (const values of Object.values(deviations)) expectHonestErrors(values);
  });

  test('refuses noise, a drive far from the transition and invalid data', async () => {
    const faults = { rules: [{ match: {}, behaviour: 'noise' as const }] };
    for (let index = 0; index < 5; index++) {
      const seed = `noise-${index}`;
      const measured = await measure(TASK, seed, { inputs: efInputs(seed), faults });
      expect(gate(measured.task, analyse(measured))).not.toBeNull();
    }
    const beside = await oscillate('ef', '0', { ef_frequency: efInputs('ef').ef_frequency - 0.02 });
    expect(gate(beside.task, analyse(beside))?.message).toMatch(/MHz below the second transition/);
    const unexcited = await oscillate('ef', '0', { drag_hpi_amplitude: 1e-4 });
    expect(gate(unexcited.task, analyse(unexcited))).not.toBeNull();
    const empty = { dims: {}, coordinates: {}, variables: {} };
    expect(analyse({ ...beside, dataset: empty }).refused).toMatch(/time/);
  });
});
