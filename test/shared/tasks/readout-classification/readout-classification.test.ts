import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSimulator } from '../../../../activities/backends/simulator/simulator.ts';
import { dragAmplitude, idealBeta } from '../../../../shared/science/device/drag-pulses.ts';
import { randomFrom } from '../../../../shared/science/device/random.ts';
import { figure } from '../../../../shared/science/figures/model.ts';
import { fitGaussianMixture, withOwnWidths } from '../../../../shared/science/fitting/gaussian-mixture.ts';
import { analyse } from '../../../../shared/tasks/analyses.ts';
import { fidelitiesOf, thresholdOf } from '../../../../shared/tasks/common/analysis/single-shots.ts';
import { played, populationAfterPulses } from '../../../../shared/tasks/common/simulation/drag-experiment.ts';
import { gate } from '../../../../shared/tasks/gates.ts';
import { coverageSeeds, expectHonestErrors } from '../../../support/coverage-rules.ts';
import { perfectInputs } from '../../../support/drag-inputs.ts';
import { at, measure } from '../../../support/measured.ts';

const classify = (seed: string, changes: Record<string, number> = {}, qid = '0') =>
  measure('ReadoutClassification', seed, { qid, inputs: { ...perfectInputs(seed, qid), ...changes } });

/** Φ(x), by the integral's series. */
function normalDistribution(x: number): number {
  let [term, sum] = [x, x];
  for (let n = 1; n < 200; n++) {
    term *= (x * x) / (2 * n + 1);
    sum += term;
  }
  return 0.5 + sum * (Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI));
}

/** Expected fractions of correct shots from the device's parameters, with the threshold midway. */
function expectedFidelities(seed: string, qid: string): [number, number] {
  const qubit = createSimulator({ seed }).truth('chip', qid, at);
  const half = qubit.distance / 2;
  const amplitude = dragAmplitude(qubit, Math.PI / 2, 16);
  const pulse = played(qubit, { amplitude, lengthNs: 16, beta: idealBeta(qubit), frequency: qubit.f01 });
  const excited = populationAfterPulses(qubit, [pulse, pulse]);
  const flips = (1 - Math.exp(-((qubit.readoutAmplitude / 0.35) ** 4))) / 2;
  const readExcitedWrong = normalDistribution(-half / qubit.noise);
  const steps = 400;
  const rate = qubit.readoutLengthNs / 1000 / qubit.t1;
  let readExcitedRight = Math.exp(-rate) * normalDistribution(half / qubit.noise);
  for (let step = 0; step < steps; step++) {
    const fraction = (step + 0.5) / steps;
    const position = (fraction * qubit.distance - half) / qubit.noise;
    readExcitedRight += ((rate * Math.exp(-rate * fraction)) / steps) * normalDistribution(position);
  }
  const read = (population: number) => {
    const found = population * (1 - flips) + (1 - population) * flips;
    return found * readExcitedRight + (1 - found) * readExcitedWrong;
  };
  return [1 - read(qubit.thermalPopulation), read(excited)];
}

/** Data in which the scatter of the excited state differs from that of the ground state, on two axes or one. */
async function withWidths(seed: string, widening: number, axes: 1 | 2) {
  const measured = await classify(seed);
  const random = randomFrom(seed, 'widths');
  const { iq_re: re, iq_im: im } = measured.dataset.variables;
  if (re === undefined || im === undefined) return expect.fail('no shots');
  const half = re.values.length / 2;
  for (let shot = 0; shot < 2 * half; shot++) {
    const width = shot < half ? 1 : widening;
    re.values[shot] = (shot < half ? 0 : DISTANCE) + width * random.normal();
    im.values[shot] = axes === 1 ? 0 : width * random.normal();
  }
  return { analysis: analyse(measured), half, re: re.values.map(Number), im: im.values.map(Number) };
}
const DISTANCE = 6;

describe('ReadoutClassification', () => {
  test.each([1, 2] as const)(
    'assigns the likelier state if the excited one scatters twice as far, on %s axes',
    async (axes) => {
      const { analysis, half, re, im } = await withWidths(`wide-${axes}`, 2, axes);
      const isExcited = (x: number, y: number) =>
        ((x - DISTANCE) ** 2 + y ** 2) / 4 + 2 * axes * Math.log(2) < x ** 2 + y ** 2;
      const right = re.filter((x, shot) => isExcited(x, im[shot] ?? 0) === shot >= half).length / re.length;
      const midway = re.filter((x, shot) => x > DISTANCE / 2 === shot >= half).length / re.length;
      const { value = 0, error = 0 } = analysis.outputs.average_readout_fidelity ?? {};
      expect(Math.abs(value - right)).toBeLessThan(2 * error);
      expect(value).toBeGreaterThan(midway + 0.005);
    },
  );

  test('has the threshold midway if both states scatter equally', async () => {
    const { analysis, half, re } = await withWidths('alike', 1, 2);
    const midway = re.filter((x, shot) => x > DISTANCE / 2 === shot >= half).length / re.length;
    expect(analysis.outputs.average_readout_fidelity?.value).toBeCloseTo(midway, 2);
  });

  test('finds the fidelities of an ordinary readout', async () => {
    const measured = await classify('readout');
    const analysis = analyse(measured);
    expect(Object.keys(analysis.outputs).sort()).toEqual(Object.keys(measured.task.outputs).sort());
    expect(gate(measured.task, analysis)).toBeNull();
    const { average_readout_fidelity, readout_fidelity_0, readout_fidelity_1 } = analysis.outputs;
    expect(average_readout_fidelity?.value).toBeGreaterThan(0.9);
    expect(average_readout_fidelity?.value).toBeCloseTo(
      ((readout_fidelity_0?.value ?? 0) + (readout_fidelity_1?.value ?? 0)) / 2,
      12,
    );
  });

  test('keeps every shot, which are too many to be sent inline', async () => {
    const { dataset } = await classify('readout');
    expect(dataset.dims).toEqual({ state: 2, shot: 2048 });
    expect(dataset.variables.iq_re?.values).toHaveLength(4096);
    expect(JSON.stringify(dataset).length).toBeGreaterThan(16 * 1024);
  });

  test('has honest errors over fixed seeds', async () => {
    const deviations: [number[], number[]] = [[], []];
    for (let index = 0; index < coverageSeeds(60); index++) {
      const [seed, qid] = [`readout-${index}`, String(index % 16)];
      const { outputs } = analyse(await classify(seed, {}, qid));
      for (const [state, truth] of expectedFidelities(seed, qid).entries()) {
        const found = outputs[`readout_fidelity_${state}`] ?? expect.fail('no fidelity');
        deviations[state]?.push((found.value - truth) / found.error);
      }
    }
    for (const found of deviations) expectHonestErrors(found);
  });

  test('detects a badly prepared excited state, and an unprepared one', async () => {
    const perfect = perfectInputs('readout').drag_hpi_amplitude;
    const weak = analyse(await classify('readout', { drag_hpi_amplitude: 0.8 * perfect }));
    expect(weak.outputs.readout_fidelity_1?.value).toBeLessThan(0.93);
    expect(weak.outputs.readout_fidelity_0?.value).toBeGreaterThan(0.95);
    const none = await classify('readout', { drag_hpi_amplitude: 1e-4 });
    expect(analyse(none).outputs).toEqual({});
    expect(gate(none.task, analyse(none))?.rule).toBe('fit');
  });

  test('refuses a readout without contrast, with numbers', async () => {
    const measured = await classify('readout', { readout_frequency: 8.1 });
    const analysis = analyse(measured);
    expect(analysis.refused).toMatch(
      /^the two states cannot be distinguished: the average fidelity would be 0\.5\d+ ± 0\.\d+, with centres [\d.]+ standard deviations apart$|^the shots of both states/,
    );
    expect(analysis.figures.length).toBeGreaterThan(0);
  });

  test('refuses pure noise, and too few shots', async () => {
    for (let index = 0; index < 10; index++) {
      const seed = `noise-${index}`;
      const faults = { rules: [{ match: {}, behaviour: 'noise' as const }] };
      const measured = await measure('ReadoutClassification', seed, { inputs: perfectInputs(seed), faults });
      expect(gate(measured.task, analyse(measured))?.rule).toBe('fit');
    }
    const few = await measure('ReadoutClassification', 'few', {
      inputs: perfectInputs('few'),
      run: { shots: 20 },
    });
    expect(analyse(few).refused).toBe('20 shots of a state are too few; 50 are needed');
  });

  test('draws both histograms with the threshold, and the clouds', async () => {
    const { figures } = analyse(await classify('readout', {}, '3'));
    expect(figures).toHaveLength(2);
    for (const drawn of figures) expect(figure.parse(drawn)).toEqual(drawn);
    const [histogram, plane] = figures;
    expect(histogram?.layout.title.text).toMatch(
      /^ReadoutClassification · qubit 3 · fidelity = 0\.\d+ ± 0\.\d+, F0 = 0\.\d+, F1 = 0\.\d+$/,
    );
    expect(histogram?.data.map(({ type }) => type)).toEqual(['bar', 'bar', 'scatter', 'scatter', 'scatter']);
    // The Gaussians of a state contain all its measured shots.
    const [bars, , gaussians] = histogram?.data ?? [];
    const [binWidth, step] = [bars, gaussians].map((trace) => (trace?.x[1] ?? 0) - (trace?.x[0] ?? 0));
    const area = gaussians?.y.reduce((sum, height) => sum + height, 0) ?? 0;
    expect((area * (step ?? 0)) / (binWidth ?? 1)).toBeCloseTo(2048, -2);
    expect(histogram?.data[0]?.x).toHaveLength(60);
    expect(histogram?.data[0]?.y.reduce((sum, count) => sum + count, 0)).toBe(2048);
    expect(histogram?.layout.barmode).toBe('overlay');
    expect(plane?.layout.yaxis.scaleanchor).toBe('x');
  });

  test('returns fidelities in [0, 1] or a refusal for any numbers', async () => {
    const measured = await classify('any');
    const numbers = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), {
      minLength: 200,
      maxLength: 200,
    });
    fc.assert(
      fc.property(numbers, numbers, (re, im) => {
        const variable = { dims: ['state', 'shot'], unit: 'a.u.', long_name: '' };
        const coordinate = (name: string, count: number) => ({
          dims: [name],
          values: Array.from({ length: count }, (_, index) => index),
          unit: '',
          long_name: '',
        });
        const analysis = analyse({
          ...measured,
          dataset: {
            dims: { state: 2, shot: 100 },
            coordinates: { state: coordinate('state', 2), shot: coordinate('shot', 100) },
            variables: { iq_re: { ...variable, values: re }, iq_im: { ...variable, values: im } },
          },
        });
        const values = Object.values(analysis.outputs).map(({ value }) => value);
        expect(values.every((value) => value >= 0 && value <= 1)).toBe(true);
        expect(values.length > 0 || analysis.refused !== undefined).toBe(true);
      }),
      { seed: 3, numRuns: 60 },
    );
  });
});

describe('the mixture of two Gaussians', () => {
  test('finds centres, shape and weight of any two clouds that can be distinguished', () => {
    fc.assert(
      fc.property(
        fc.record({
          distance: fc.double({ min: 4, max: 20, noNaN: true }),
          direction: fc.double({ min: -Math.PI, max: Math.PI, noNaN: true }),
          far: fc.double({ min: -1e4, max: 1e4, noNaN: true }),
          weight: fc.double({ min: 0.2, max: 0.8, noNaN: true }),
          seed: fc.integer(),
        }),
        ({ distance, direction, far, weight, seed }) => {
          const random = randomFrom('mixture', seed);
          const second = { x: far + distance * Math.cos(direction), y: distance * Math.sin(direction) };
          const points: { x: number[]; y: number[] } = { x: [], y: [] };
          for (let index = 0; index < 1500; index++) {
            const centre = random.uniform() < weight ? second : { x: far, y: 0 };
            points.x.push(centre.x + random.normal());
            points.y.push(centre.y + random.normal());
          }
          const start = [
            { x: far - 0.5 * Math.cos(direction), y: -0.5 * Math.sin(direction) },
            { x: second.x + 0.5, y: second.y - 0.5 },
          ] as const;
          const found = fitGaussianMixture(points, start) ?? expect.fail('no mixture');
          const tolerance = 6 / Math.sqrt(1500 * Math.min(weight, 1 - weight));
          expect(Math.abs(found.centres[0].x - far)).toBeLessThan(tolerance);
          expect(Math.abs(found.centres[1].x - second.x)).toBeLessThan(tolerance);
          expect(Math.abs(found.centres[1].y - second.y)).toBeLessThan(tolerance);
          expect(Math.abs(found.weight - weight)).toBeLessThan(0.1);
          expect(found.covariance.xx).toBeCloseTo(1, 0);
          expect(found.covariance.xy).toBeCloseTo(0, 0);
        },
      ),
      { seed: 11, numRuns: 60 },
    );
  });

  test('is not shifted by a few points that belong to neither', () => {
    const random = randomFrom('points of neither');
    const cloud = (centre: number, count: number) =>
      Array.from({ length: count }, () => ({ x: centre + random.normal(), y: random.normal() }));
    const points = [...cloud(0, 1000), ...cloud(6, 1000), ...cloud(-9, 60)];
    const found = fitGaussianMixture({ x: points.map(({ x }) => x), y: points.map(({ y }) => y) }, [
      { x: -0.5, y: 0 },
      { x: 6, y: 0 },
    ]);
    const { centres, covariance } = found ?? expect.fail('no mixture');
    // Three standard errors.
    expect(Math.abs(centres[0].x)).toBeLessThan(0.1);
    expect(Math.abs(covariance.xx - 1)).toBeLessThan(0.1);
  });

  test('has honest errors of both fidelities if the second one scatters twice as far', () => {
    const [distance, shots] = [4.4, 600];
    const shotsOf = (seed: string, state: 0 | 1, count: number) => {
      const random = randomFrom(seed, String(state));
      const x = Array.from({ length: count }, () => state * distance + (state + 1) * random.normal());
      return { x, y: x.map(() => (state + 1) * random.normal()) };
    };
    const isExcited = (x: number, y: number) =>
      ((x - distance) ** 2 + y ** 2) / 4 + 4 * Math.log(2) < x ** 2 + y ** 2;
    const truths = ([0, 1] as const).map((state) => {
      const { x, y } = shotsOf('truth', state, 100_000);
      return x.filter((value, shot) => isExcited(value, y[shot] ?? 0) === (state === 1)).length / x.length;
    });
    const squares = Array.from({ length: 40 }, (_, index) => {
      const clouds = [shotsOf(`wide-${index}`, 0, shots), shotsOf(`wide-${index}`, 1, shots)] as const;
      const common = fitGaussianMixture(
        { x: clouds.flatMap(({ x }) => x), y: clouds.flatMap(({ y }) => y) },
        [
          { x: 0, y: 0 },
          { x: distance, y: 0 },
        ],
      );
      const mixture = withOwnWidths(common ?? expect.fail('no mixture'), clouds);
      const found = fidelitiesOf(clouds, mixture, thresholdOf(mixture, 2 * shots));
      return [found.ground, found.excited].map(
        ({ value, error }, state) => ((value - (truths[state] ?? 0)) / error) ** 2,
      );
    }).flat();
    const rms = Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / squares.length);
    expect(rms).toBeLessThan(1.2);
    expect(rms).toBeGreaterThan(0.8);
  });

  test('does not exist if all points are equal', () => {
    const same = Array.from({ length: 100 }, () => 2);
    const start = [
      { x: 2, y: 2 },
      { x: 2, y: 2 },
    ] as const;
    expect(fitGaussianMixture({ x: same, y: same }, start)).toBeNull();
  });
});
