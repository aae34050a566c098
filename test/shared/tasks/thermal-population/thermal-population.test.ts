import { describe, expect, test } from 'vitest';
import { faultPlan } from '../../../../activities/backends/simulator/faults.ts';
import { createSimulator } from '../../../../activities/backends/simulator/simulator.ts';
import { analyse } from '../../../../shared/tasks/analyses.ts';
import { gate } from '../../../../shared/tasks/gates.ts';
import { coverageSeeds, expectHonestErrors } from '../../../support/coverage-rules.ts';
import { efInputs } from '../../../support/drag-inputs.ts';
import { at, measure } from '../../../support/measured.ts';
import { promisedFigures } from '../promised-results.ts';

const TASK = 'CheckThermalPopulation';
const compare = (seed: string, qid = '0', changes: Record<string, number> = {}) =>
  measure(TASK, seed, { qid, inputs: { ...efInputs(seed, qid), ...changes } });
/** Planck's and Boltzmann's constants, J s and J/K. */
const [PLANCK, BOLTZMANN] = [6.626_070_15e-34, 1.380_649e-23];

describe('CheckThermalPopulation', () => {
  test('finds the outputs of the catalog and draws both oscillations', async () => {
    const measured = await compare('thermal', '5');
    const analysis = analyse(measured);
    for (const drawn of promisedFigures(measured, analysis)) {
      expect(drawn.layout.title.text).toMatch(/^CheckThermalPopulation · qubit 5 · p = 0\.\d+ ± 0\.\d+$/);
      expect(drawn.data.filter(({ error_y }) => error_y !== undefined)).toHaveLength(2);
    }
  });

  test('has honest errors over fixed seeds, and the temperature of the population', async () => {
    const deviations: number[] = [];
    for (let index = 0; index < coverageSeeds(60); index++) {
      const [seed, qid] = [`thermal-${index}`, String(index % 16)];
      const measured = await compare(seed, qid);
      const analysis = analyse(measured);
      expect(gate(measured.task, analysis)).toBeNull();
      const qubit = createSimulator({ seed }).truthOf(measured.request, qid, at);
      const { value, error } = analysis.outputs.thermal_population ?? expect.fail('no population');
      deviations.push((value - qubit.thermalPopulation) / error);
      const kelvin = (analysis.outputs.effective_temperature?.value ?? 0) / 1000;
      const odds = Math.exp((-PLANCK * 1e9 * qubit.f01) / (BOLTZMANN * kelvin));
      expect(odds / (1 + odds)).toBeCloseTo(value, 5);
    }
    expectHonestErrors(deviations);
  });

  test('finds a hot qubit, and a cold one without a negative population', async () => {
    const hot = faultPlan.parse({ phenomena: [{ phenomenon: 'hot' }] });
    const inputs = efInputs('hot');
    const warm = analyse(await measure(TASK, 'hot', { inputs, faults: hot })).outputs.thermal_population;
    const { thermalPopulation } = createSimulator({ seed: 'hot' }).truth('chip', '0', at);
    expect(Math.abs((warm?.value ?? 0) - thermalPopulation - 0.1)).toBeLessThan(5 * (warm?.error ?? 0));
    const cold = await compare('cold');
    for (const part of ['re', 'im'] as const) {
      const values = cold.dataset.variables[`unexcited_${part}`]?.values ?? [];
      const middle = values.reduce<number>((sum, value) => sum + Number(value), 0) / values.length;
      const still = values.map((value, index) => middle + (index % 2 === 0 ? 1 : -1) * 0.02 * Number(value));
      values.splice(0, values.length, ...still);
    }
    const { value, error } = analyse(cold).outputs.thermal_population ?? expect.fail('no population');
    expect(value).toBeGreaterThan(0);
    expect(value).toBeLessThan(5 * error);
  });

  test('refuses noise, a qubit that was not excited, a frozen instrument and invalid data', async () => {
    const faults = { rules: [{ match: {}, behaviour: 'noise' as const }] };
    for (let index = 0; index < 5; index++) {
      const seed = `noise-${index}`;
      const measured = await measure(TASK, seed, { inputs: efInputs(seed), faults });
      expect(gate(measured.task, analyse(measured))).not.toBeNull();
    }
    const unexcited = await compare('thermal', '0', { drag_hpi_amplitude: 1e-4 });
    expect(gate(unexcited.task, analyse(unexcited))?.message).toMatch(/almost equal|no oscillation|r2/);
    const frozen = await compare('thermal');
    for (const name of ['unexcited_re', 'unexcited_im'] as const) {
      const values = frozen.dataset.variables[name]?.values ?? [];
      values.fill(values[20] ?? 0, 20);
    }
    expect(analyse(frozen).refused).toMatch(/repeats the same signal/);
    const { unexcited_re: _, ...variables } = frozen.dataset.variables;
    expect(analyse({ ...frozen, dataset: { ...frozen.dataset, variables } }).refused).toMatch(/unexcited_re/);
  });
});
