import { describe, expect, test } from 'vitest';
import { createSimulator } from '../../../../activities/backends/simulator/simulator.ts';
import { dragAmplitude, idealBeta } from '../../../../shared/science/device/drag-pulses.ts';
import { weightOfSecond } from '../../../../shared/science/fitting/mixture-weight.ts';
import { analyse } from '../../../../shared/tasks/analyses.ts';
import {
  flipProbabilities,
  played,
  populationAfterPulses,
} from '../../../../shared/tasks/common/simulation/drag-experiment.ts';
import { gate } from '../../../../shared/tasks/gates.ts';
import { coverageSeeds, expectHonestErrors } from '../../../support/coverage-rules.ts';
import { perfectInputs } from '../../../support/drag-inputs.ts';
import { at, measure } from '../../../support/measured.ts';
import { normalDistribution } from '../../../support/normal-distribution.ts';
import { promisedFigures } from '../promised-results.ts';

const TASK = 'CheckActiveReset';
const LATENCY_US = 0.5;
const reset = (seed: string, qid = '0', changes: Record<string, number> = {}) =>
  measure(TASK, seed, { qid, inputs: { ...perfectInputs(seed, qid), ...changes } });

/** Excited population after a reset of both prepared states, from the device's parameters. */
function expected(seed: string, qid: string): Record<string, number> {
  const qubit = createSimulator({ seed }).truth('chip', qid, at);
  const amplitude = dragAmplitude(qubit, Math.PI / 2, 16);
  const pulse = played(qubit, { amplitude, lengthNs: 16, beta: idealBeta(qubit), frequency: qubit.f01 });
  const { up, down } = flipProbabilities(qubit, [pulse, pulse]);
  const prepared = [qubit.thermalPopulation, populationAfterPulses(qubit, [pulse, pulse])];
  const flips = (1 - Math.exp(-((qubit.readoutAmplitude / 0.35) ** 4))) / 2;
  const afterFlips = (population: number) => population * (1 - flips) + (1 - population) * flips;
  const rate = qubit.readoutLengthNs / 1000 / qubit.t1;
  const seen = (1 - Math.exp(-rate)) / rate;
  const middle = prepared.reduce((sum, each) => sum + (seen * afterFlips(each)) / 2, 0);
  const readAs1 = (part: number) => normalDistribution(((part - middle) * qubit.distance) / qubit.noise);
  const steps = 200;
  const decaying = Array.from({ length: steps }, (_, step) => (step + 0.5) / steps).reduce(
    (sum, part) => sum + ((rate * Math.exp(-rate * part)) / steps) * readAs1(part),
    0,
  );
  const kept = Math.exp(-LATENCY_US / qubit.t1);
  const left = prepared.map((population) => {
    const excited = afterFlips(population);
    const stays = excited * Math.exp(-rate);
    const fell = excited * (1 - Math.exp(-rate));
    const groups = [
      { part: 1 - excited, as1: readAs1(0), excited: 0 },
      { part: stays, as1: readAs1(1), excited: 1 },
      { part: fell, as1: (excited * decaying) / fell, excited: 0 },
    ];
    const end = groups.reduce((sum, { part, as1, excited: before }) => {
      const waited = before * kept + qubit.thermalPopulation * (1 - kept);
      const turned = waited * (1 - down) + (1 - waited) * up;
      return sum + part * (as1 * turned + (1 - as1) * waited);
    }, 0);
    return afterFlips(end);
  });
  const [ground = 0, excited = 0] = left;
  return {
    reset_residual_population: (ground + excited) / 2,
    reset_residual_0: ground,
    reset_residual_1: excited,
  };
}

describe('CheckActiveReset', () => {
  test('finds the outputs of the catalog, and draws populations before and after', async () => {
    const measured = await reset('reset', '3');
    const analysis = analyse(measured);
    for (const drawn of promisedFigures(measured, analysis)) {
      expect(drawn.layout.title.text).toMatch(/^CheckActiveReset · qubit 3 · left 0\.\d+ ± 0\.\d+$/);
      expect(drawn.data.every(({ error_y }) => error_y !== undefined)).toBe(true);
    }
  });

  test('has honest errors over fixed seeds', async () => {
    const deviations = new Map<string, number[]>();
    for (let index = 0; index < coverageSeeds(60); index++) {
      const [seed, qid] = [`reset-${index}`, String(index % 16)];
      const { outputs } = analyse(await reset(seed, qid));
      for (const [name, truth] of Object.entries(expected(seed, qid))) {
        const { value, error } = outputs[name] ?? expect.fail(`no ${name}`);
        deviations.set(name, [...(deviations.get(name) ?? []), (value - truth) / error]);
      }
    }
    expect(deviations.size).toBe(3);
    for (const values of deviations.values()) expectHonestErrors(values);
  });

  test('fails a reset whose pulse does not flip the qubit, by the bounds of its outputs', async () => {
    const measured = await reset('reset');
    for (const name of ['iq_re', 'iq_im'] as const) {
      // Nothing was done: the second readings equal the first ones of other shots.
      const values = measured.dataset.variables[name]?.values ?? [];
      const half = values.length / 2;
      const shots = half / 2;
      for (let index = 0; index < half; index++) {
        const state = Math.floor(index / shots);
        values[half + index] = values[state * shots + ((index + 1) % shots)] ?? 0;
      }
    }
    const failure = gate(measured.task, analyse(measured));
    expect(failure?.rule).toBe('bounds');
    expect(failure?.message).toMatch(/reset_residual/);
  });

  test('refuses repeated readings, readout without contrast and invalid data', async () => {
    const measured = await reset('reset');
    for (const name of ['iq_re', 'iq_im'] as const) {
      const values = measured.dataset.variables[name]?.values ?? [];
      values.copyWithin(values.length / 2, 0, values.length / 2);
    }
    expect(analyse(measured).refused).toMatch(/repeats itself$/);
    const unread = await reset('reset', '0', { readout_frequency: 8.1 });
    expect(gate(unread.task, analyse(unread))?.rule).toBe('fit');
    const few = await measure(TASK, 'few', { inputs: perfectInputs('few'), run: { shots: 20 } });
    expect(analyse(few).refused).toBe('20 shots of a state are too few; 50 are needed');
    const empty = { dims: {}, coordinates: {}, variables: {} };
    expect(analyse({ ...few, dataset: empty }).refused).toMatch(/iq_re/);
  });
});

test('a fraction of points in overlapping clouds is found without bias, and zero is not certain', () => {
  const mixture = {
    centres: [
      { x: 0, y: 0 },
      { x: 1, y: 1 },
    ] as const,
    covariance: { xx: 1, xy: 0, yy: 1 },
    weight: 0.5,
  };
  // Symmetric about each centre: equal numbers of points on both sides.
  const around = (centre: number, count: number) =>
    Array.from({ length: count }, (_, index) => {
      const angle = (2 * Math.PI * index) / count;
      const radius = Math.sqrt(-2 * Math.log((index % 97) / 97 + 0.5 / 97));
      return { x: centre + radius * Math.cos(angle), y: centre + radius * Math.sin(angle) };
    });
  const points = [...around(0, 6000), ...around(1, 2000)];
  const part = weightOfSecond(mixture, { x: points.map(({ x }) => x), y: points.map(({ y }) => y) });
  expect(part.value).toBeCloseTo(0.25, 1);
  expect(part.error).toBeGreaterThan(Math.sqrt((0.25 * 0.75) / 8000));
  const far = weightOfSecond(mixture, { x: Array(100).fill(-5), y: Array(100).fill(-5) });
  expect(far.value).toBeLessThan(1e-3);
  expect(far.error).toBeGreaterThan(0.005);
});
