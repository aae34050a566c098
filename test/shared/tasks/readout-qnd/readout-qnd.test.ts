import { describe, expect, test } from 'vitest';
import { createSimulator } from '../../../../activities/backends/simulator/simulator.ts';
import { dragAmplitude, idealBeta } from '../../../../shared/science/device/drag-pulses.ts';
import { analyse } from '../../../../shared/tasks/analyses.ts';
import { played, populationAfterPulses } from '../../../../shared/tasks/common/simulation/drag-experiment.ts';
import { gate } from '../../../../shared/tasks/gates.ts';
import { coverageSeeds, expectHonestErrors } from '../../../support/coverage-rules.ts';
import { perfectInputs } from '../../../support/drag-inputs.ts';
import { at, measure } from '../../../support/measured.ts';
import { normalDistribution } from '../../../support/normal-distribution.ts';
import { promisedFigures } from '../promised-results.ts';

const TASK = 'CheckReadoutQND';
const PAUSE_US = 1;
const readTwice = (seed: string, qid = '0', changes: Record<string, number> = {}) =>
  measure(TASK, seed, { qid, inputs: { ...perfectInputs(seed, qid), ...changes } });

/** Mean results of two readings of both prepared states, from the device's parameters. */
function expected(seed: string, qid: string) {
  const qubit = createSimulator({ seed }).truth('chip', qid, at);
  const amplitude = dragAmplitude(qubit, Math.PI / 2, 16);
  const pulse = played(qubit, { amplitude, lengthNs: 16, beta: idealBeta(qubit), frequency: qubit.f01 });
  const prepared = [qubit.thermalPopulation, populationAfterPulses(qubit, [pulse, pulse])];
  const flips = (1 - Math.exp(-((qubit.readoutAmplitude / 0.35) ** 4))) / 2;
  const rate = qubit.readoutLengthNs / 1000 / qubit.t1;
  const readAs1 = (part: number) => normalDistribution(((part - 0.5) * qubit.distance) / qubit.noise);
  const steps = 200;
  const decaying = Array.from({ length: steps }, (_, step) => (step + 0.5) / steps).reduce(
    (sum, part) => sum + ((rate * Math.exp(-rate * part)) / steps) * readAs1(part),
    0,
  );
  const whole = Math.exp(-rate);
  const afterFlips = (population: number) => population * (1 - flips) + (1 - population) * flips;
  /** Fraction of readings as 1, and the fraction that leaves the qubit excited, of these and of the others. */
  const reading = (population: number) => {
    const excited = afterFlips(population);
    const left = excited * whole;
    const one = (1 - excited) * readAs1(0) + left * readAs1(1) + excited * decaying;
    return { one, leftBy: [(left * (1 - readAs1(1))) / (1 - one), (left * readAs1(1)) / one] };
  };
  const first = prepared.map(reading);
  const kept = Math.exp(-PAUSE_US / qubit.t1);
  const again = (state: 0 | 1) => {
    const weight = ({ one }: { one: number }) => (state === 1 ? one : 1 - one);
    const all = first.reduce((sum, each) => sum + weight(each), 0);
    const excited = first.reduce((sum, each) => sum + weight(each) * (each.leftBy[state] ?? 0), 0) / all;
    const { one } = reading(excited * kept + qubit.thermalPopulation * (1 - kept));
    return state === 1 ? one : 1 - one;
  };
  return {
    assignment_error_0: first[0]?.one ?? 0,
    assignment_error_1: 1 - (first[1]?.one ?? 0),
    qnd_fidelity_0: again(0),
    qnd_fidelity_1: again(1),
  };
}

describe('CheckReadoutQND', () => {
  test('finds the outputs of the catalog, and draws both matrices with their numbers', async () => {
    const measured = await readTwice('qnd', '3');
    const analysis = analyse(measured);
    for (const drawn of promisedFigures(measured, analysis)) {
      expect(drawn.layout.title.text).toMatch(/^CheckReadoutQND · qubit 3 · .* 0\.\d+ ± 0\.\d+$/);
      expect(drawn.data[0]?.text?.[0]?.[0]).toMatch(/^0\.\d{3}$/);
    }
  });

  test('has honest errors over fixed seeds', async () => {
    const deviations = new Map<string, number[]>();
    for (let index = 0; index < coverageSeeds(60); index++) {
      const [seed, qid] = [`qnd-${index}`, String(index % 16)];
      const { outputs } = analyse(await readTwice(seed, qid));
      for (const [name, truth] of Object.entries(expected(seed, qid))) {
        const { value, error } = outputs[name] ?? expect.fail(`no ${name}`);
        deviations.set(name, [...(deviations.get(name) ?? []), (value - truth) / error]);
      }
    }
    expect(deviations.size).toBe(4);
    for (const values of deviations.values()) expectHonestErrors(values);
  });

  test('detects a readout that is so strong that it flips the qubit', async () => {
    const usual = analyse(await readTwice('qnd')).outputs.qnd_fidelity?.value ?? 0;
    const strong = analyse(await readTwice('qnd', '0', { readout_amplitude: 0.24 })).outputs;
    expect(strong.qnd_fidelity?.value ?? 1).toBeLessThan(usual - 0.05);
  });

  test('refuses a second reading that repeats the first, and readout without contrast', async () => {
    const measured = await readTwice('qnd');
    for (const name of ['iq_re', 'iq_im'] as const) {
      const values = measured.dataset.variables[name]?.values ?? [];
      values.copyWithin(values.length / 2, 0, values.length / 2);
    }
    expect(analyse(measured).refused).toMatch(/repeats itself$/);
    const unread = await readTwice('qnd', '0', { readout_frequency: 8.1 });
    expect(gate(unread.task, analyse(unread))?.rule).toBe('fit');
    const few = await measure(TASK, 'few', { inputs: perfectInputs('few'), run: { shots: 20 } });
    expect(analyse(few).refused).toBe('20 shots of a state are too few; 50 are needed');
    const empty = { dims: {}, coordinates: {}, variables: {} };
    expect(analyse({ ...few, dataset: empty }).refused).toMatch(/iq_re/);
  });
});
