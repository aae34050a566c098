import { describe, expect, test } from 'vitest';
import { type TrueQubit, trueQubit } from '../../../../shared/science/device/device.ts';
import { analyse } from '../../../../shared/tasks/analyses.ts';
import type { AnalysisInput } from '../../../../shared/tasks/common/analysis/model.ts';
import { dressedBoundary } from '../../../../shared/tasks/common/analysis/resonator-map.ts';
import { gate } from '../../../../shared/tasks/gates.ts';
import { resonatorSpectroscopySimulation } from '../../../../shared/tasks/resonator-spectroscopy/simulation.ts';
import { resolveRunParameters } from '../../../../shared/tasks/run-parameters.ts';
import { coverageSeeds, expectHonestErrors } from '../../../support/coverage-rules.ts';
import { at, measure, taskOf } from '../../../support/measured.ts';
import { allOfWidth, readoutLine } from '../readout-line.ts';

const task = taskOf('CheckResonatorSpectroscopy');
/** A line of 0.3 MHz, which points at a distance of 2 MHz do not resolve. */
const NARROW = { seed: 'narrow-1', qid: '2' };

const lineOf = readoutLine.bind(null, { name: task.name, simulation: resonatorSpectroscopySimulation });

/** Data from a backend that does not know the design of the line. */
function withoutDesign(input: AnalysisInput): AnalysisInput {
  const { design_frequency: _, ...variables } = input.dataset.variables;
  return { ...input, dataset: { ...input.dataset, variables } };
}

describe('the analysis of CheckResonatorSpectroscopy', () => {
  test('finds every resonator with honest errors, and a usable readout power', async () => {
    const found: number[] = [];
    for (let index = 0; index < coverageSeeds(60) / 4; index++) {
      const seed = `resonators-${index}`;
      const measured = await measure(task.name, seed, { qid: String(4 * index) });
      for (let place = 0; place < 4; place++) {
        const qid = String(4 * index + place);
        const analysis = analyse({ ...measured, qid, inputs: {} });
        expect(gate(task, analysis)).toBeNull();
        const {
          readout_frequency: frequency,
          readout_amplitude: amplitude,
          optimal_power,
        } = analysis.outputs;
        const truth = trueQubit(seed, qid, at).resonatorGround;
        found.push(((frequency?.value ?? 0) - truth) / (frequency?.error ?? 0));
        expect(amplitude?.value).toBeGreaterThan(0.01);
        expect(amplitude?.value).toBeLessThan(0.1);
        expect(amplitude?.value).toBeCloseTo(10 ** ((optimal_power?.value ?? 0) / 20), 10);
      }
    }
    expectHonestErrors(found);
  });

  test('requests a finer sweep if a line is too narrow to be resolved, and finds it there', () => {
    const narrow = (mates: TrueQubit[]) =>
      mates.map((mate) => ({
        ...mate,
        ...{ kappa: 0.3e-3, kappaExternal: 0.283e-3, kappaInternal: 0.017e-3 },
      }));
    const analysis = analyse(lineOf(NARROW.seed, narrow)(NARROW.qid));
    expect(gate(task, analysis)).not.toBeNull();
    expect(analysis.again).toMatchObject({
      run: { frequency_range: { value: [9.75, 10.75, 0.0005], value_type: 'np.arange' } },
    });
    const finer = lineOf(NARROW.seed, narrow, { frequency_range: [9.75, 10.75, 0.0005] });
    const { readout_frequency: found } = analyse(finer(NARROW.qid)).outputs;
    const truth = trueQubit(NARROW.seed, NARROW.qid, at).resonatorGround;
    expect(Math.abs((found?.value ?? 0) - truth)).toBeLessThan(5 * (found?.error ?? 0));
    expect(found?.error).toBeLessThan(0.1e-3);
  });

  test('requests a finer sweep by its step, even if the current one is given by its number of points', () => {
    const without = (mates: TrueQubit[]) => mates.slice(1);
    const sweep = { value: [9.75, 10.75, 501], value_type: 'np.linspace' };
    const { again } = analyse(lineOf('gone', without, { frequency_range: sweep })('0'));
    expect(again?.run).toEqual({
      frequency_range: { value: [9.75, 10.7505, 0.0005], value_type: 'np.arange' },
    });
    expect(resolveRunParameters(task, [again?.run ?? {}]).problems).toEqual([]);
  });

  test('does not request a finer sweep if a resonator is missing in a fine sweep', () => {
    const without = (mates: TrueQubit[]) => mates.slice(1);
    expect(analyse(lineOf('gone', without)('0')).again).toBeDefined();
    const fine = lineOf('gone', without, { frequency_range: [9.75, 10.75, 0.0005] });
    const { refused, again } = analyse(fine('0'));
    expect(refused).toMatch(/the one of qubit 0 is missing$/);
    expect(again).toBeUndefined();
  });

  test('draws the map twice, marked and raw', async () => {
    const { figures } = analyse(await measure(task.name, 'figures'));
    expect(figures.map(({ layout }) => layout.meta?.figure_role)).toEqual(['marked', 'raw']);
    const [marked, raw] = figures;
    expect(marked?.layout.title.text).toMatch(
      /^CheckResonatorSpectroscopy · qubit 0 · f = [\d.]+ ± [\d.]+ GHz at -\d+ dB$/,
    );
    expect(raw?.data).toHaveLength(1);
    expect(raw?.data[0]?.z).toHaveLength(13);
    expect(raw?.data[0]?.z?.[0]).toHaveLength(500);
    expect(raw?.layout.yaxis.title.text).toBe('Readout power (dB)');
  });

  test('refuses noise, and a band without resonators', async () => {
    const noise = { rules: [{ match: {}, behaviour: 'noise' as const }] };
    const drowned = analyse(await measure(task.name, 'noise', { faults: noise }));
    expect(drowned.refused).toMatch(
      /^no power shows resonators at rest: .* at least [\d.]+, its limit 4, and no power looks like the next$/,
    );
    const low = await measure(task.name, 'low', { run: { band: 'low' } });
    expect(low.dataset.coordinates.frequency?.values[0]).toBe(5.75);
    expect(analyse(low).outputs).toEqual({});
    expect(analyse(low).refused).toMatch(/\d/);
  });

  test('takes the powers from the settings if a setting requests it', () => {
    const run = { bare_shift_estimator_type: 'config', low_power: -30 };
    const { outputs } = analyse(lineOf('config', (mates) => mates, run)('1'));
    expect(outputs.optimal_power?.value).toBe(-35);
    const wrong = { bare_shift_estimator_type: 'guess' };
    expect(analyse(lineOf('config', (mates) => mates, wrong)('1')).refused).toBe(
      'there is no bare_shift_estimator_type "guess"',
    );
  });
});

describe('the assignment of CheckResonatorSpectroscopy', () => {
  test('reports the missing resonators and still finds the others, by the design of the wiring', () => {
    const places = [0, 1, 2, 3];
    for (const missing of [[0], [1], [2], [3], [1, 3], [0, 2, 3]]) {
      const input = lineOf('missing', (mates) => mates.filter((_, place) => !missing.includes(place)));
      for (const place of places) {
        const analysis = analyse(input(String(place)));
        if (missing.includes(place)) {
          expect(analysis.refused).toMatch(
            new RegExp(
              `^${4 - missing.length} of 4 resonators were found, at .* GHz: the one of qubit ${place} is missing$`,
            ),
          );
          expect(analysis.figures).toHaveLength(2);
          continue;
        }
        const truth = trueQubit('missing', String(place), at).resonatorGround;
        expect(analysis.outputs.readout_frequency?.value).toBeCloseTo(truth, 3);
      }
    }
  });

  test('assigns nothing ambiguous by order alone, wherever the line is in the band', () => {
    const unclear = (found: string) =>
      new RegExp(
        `^${found} of 4 .*: which one belongs to qubit \\d cannot be determined without design frequencies$`,
      );
    const two = lineOf('two', (mates) => mates.slice(0, 2));
    expect(analyse(withoutDesign(two('0'))).refused).toMatch(unclear('2'));
    // Positions by rising frequency are 3, 0, 2, 1.
    for (const missing of [3, 0, 2, 1]) {
      const input = lineOf('one', (mates) => mates.filter((_, place) => place !== missing));
      for (const place of [0, 1, 2, 3])
        expect(analyse(withoutDesign(input(String(place)))).refused).toMatch(unclear('3'));
    }
    const complete = lineOf('complete', (mates) => mates);
    for (const place of ['0', '1', '2', '3']) {
      const { outputs } = analyse(withoutDesign(complete(place)));
      const truth = trueQubit('complete', place, at).resonatorGround;
      expect(outputs.readout_frequency?.value).toBeCloseTo(truth, 3);
    }
  });

  test('finds every remaining resonator by a given design or by its earlier frequency', () => {
    for (const missing of [
      [0, 1],
      [1, 2],
      [3, 2],
      [0, 1, 2],
    ]) {
      const design = { resonator_design_frequencies: [10.15, 10.53, 10.35, 9.95] };
      const without = (mates: TrueQubit[]) => mates.filter((_, place) => !missing.includes(place));
      const byDesign = lineOf('design', without, design);
      const byEarlier = lineOf('design', without);
      for (const place of [0, 1, 2, 3]) {
        const truth = trueQubit('design', String(place), at);
        const before = { value: truth.readoutFrequency, value_type: 'float', unit: 'GHz' };
        const input = byEarlier(String(place));
        const results = [
          analyse(byDesign(String(place))),
          analyse({ ...input, inputs: { readout_frequency: before } }),
        ];
        for (const { outputs, refused } of results) {
          if (missing.includes(place)) expect(refused).toMatch(/ is missing$/);
          else expect(outputs.readout_frequency?.value).toBeCloseTo(truth.resonatorGround, 3);
        }
      }
    }
  });

  test('follows the design if the order differs, and refuses contradictions to an earlier assignment', () => {
    const other = { resonator_design_frequencies: [9.95, 10.15, 10.35, 10.53] };
    const lowest = trueQubit('swapped', '3', at);
    const { outputs } = analyse(lineOf('swapped', (mates) => mates, other)('0'));
    expect(outputs.readout_frequency?.value).toBeCloseTo(lowest.resonatorGround, 3);
    const before = { value: lowest.resonatorGround, value_type: 'float', unit: 'GHz' };
    const input = lineOf('swapped', (mates) => mates)('0');
    expect(analyse({ ...input, inputs: { readout_frequency: before } }).refused).toMatch(
      /the one of qubit 0 was at 9\.\d+ GHz before, where the one of another qubit is expected by the design of the wiring; named design frequencies decide$/,
    );
    const unplanned = { ...withoutDesign(input), inputs: { readout_frequency: before } };
    expect(analyse(unplanned).refused).toMatch(
      /the one of qubit 0 was at 9\.\d+ GHz before, where the one of another qubit is expected by their order; design frequencies decide$/,
    );
    const few = lineOf('swapped', (mates) => mates, { resonator_design_frequencies: [9.95, 10.15] });
    expect(analyse(few('0')).refused).toBe(
      'resonator_design_frequencies has to name 4 different frequencies, one for each place',
    );
  });

  test('never confuses two resonators that overlap', () => {
    const input = lineOf('pair', (mates) =>
      mates.map((mate, place) => {
        if (place !== 2) return mate;
        const moved = (mates[0]?.resonatorGround ?? 0) + 0.005 - mate.resonatorGround;
        return {
          ...mate,
          resonatorBare: mate.resonatorBare + moved,
          resonatorGround: mate.resonatorGround + moved,
          f01: mate.f01 + moved,
        };
      }),
    );
    for (const place of ['1', '3']) {
      const { outputs, refused } = analyse(input(place));
      const truth = trueQubit('pair', place, at).resonatorGround;
      if (refused === undefined) expect(outputs.readout_frequency?.value).toBeCloseTo(truth, 2);
    }
  });

  test('assigns by the order in its setting', () => {
    const input = lineOf('order', (mates) => mates, { resonator_assignment_pattern: '0,1,2,3' });
    const lowest = trueQubit('order', '3', at).resonatorGround;
    expect(analyse(input('0')).outputs.readout_frequency?.value).toBeCloseTo(lowest, 3);
  });
});

describe('the fits of CheckResonatorSpectroscopy', () => {
  test.each([
    ['20 MHz wide', 0.02],
    ['2 MHz wide', 0.002],
    ['1.3 MHz wide, less than the distance of the points', 0.0013],
  ])('finds a resonator that is %s among usual ones', (name, kappa) => {
    for (const seed of ['a', 'b', 'c']) {
      const kappaExternal = kappa / 1.1;
      const input = lineOf(`${name} ${seed}`, ([first, ...mates]) =>
        first ? [{ ...first, kappa, kappaExternal, kappaInternal: kappa - kappaExternal }, ...mates] : [],
      );
      const { outputs, refused } = analyse(input('0'));
      expect(refused).toBeUndefined();
      const { value = 0, error = 0 } = outputs.readout_frequency ?? {};
      const truth = trueQubit(`${name} ${seed}`, '0', at).resonatorGround;
      expect(Math.abs(value - truth) / error).toBeLessThan(5);
    }
  });

  test.each([
    ['20 MHz, which never jump', 0.02],
    ['12 MHz, which hardly do', 0.012],
    ['2 MHz, which are sharp at any power', 0.002],
    ['1 MHz', 0.001],
  ])('finds all resonators of a multiplexer of %s', (name, kappa) => {
    for (const seed of ['a', 'b']) {
      const input = lineOf(`all of ${name} ${seed}`, allOfWidth(kappa));
      const pulls = ['0', '1', '2', '3'].flatMap((place) => {
        const { outputs, again } = analyse(input(place));
        const truth = trueQubit(`all of ${name} ${seed}`, place, at).resonatorGround;
        const { value = 0, error = 0 } = outputs.readout_frequency ?? {};
        // The narrowest one may request a finer sweep.
        return again === undefined ? [(value - truth) / error] : [];
      });
      expect(pulls.length).toBeGreaterThanOrEqual(3);
      for (const pull of pulls) expect(Math.abs(pull)).toBeLessThan(5);
    }
  });

  test('finds the dressed state of the resonators if even the lowest power is far above the noise', () => {
    for (const [name, lineNoise, run] of [
      ['quiet line', 1e-5, {}],
      ['high start', 3e-4, { power_range: [-45, 5, 5] }],
    ] as const) {
      const input = lineOf(name, (mates) => mates.map((mate) => ({ ...mate, lineNoise })), run);
      for (const place of ['0', '1', '2', '3']) {
        const { outputs, refused } = analyse(input(place));
        const { resonatorGround, resonatorBare } = trueQubit(name, place, at);
        expect(refused).toBeUndefined();
        expect(Math.abs((outputs.readout_frequency?.value ?? 0) - resonatorGround)).toBeLessThan(
          0.2 * (resonatorGround - resonatorBare),
        );
      }
    }
  });
});

describe('the steps of the estimator', () => {
  test('finds the power at which the resonators reach their dressed state', () => {
    expect(dressedBoundary([9, 5, 3, 2.6, 2.5, 2.6, 3.3, 4.2, 3], 4)).toEqual({ row: 5, first: 4 });
    expect(dressedBoundary([9, 8, 7, 6, 7, 8], 4)).toEqual({ lowest: 6 });
    expect(dressedBoundary([2.4, 2.5, 2.6, 3.3, 4.2, 3, 3.1], 4), 'flat from the start').toEqual({
      row: 1,
      first: 0,
    });
  });
});
