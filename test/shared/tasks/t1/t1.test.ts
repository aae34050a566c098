import { describe, expect, test } from 'vitest';
import { createSimulator } from '../../../../activities/backends/simulator/simulator.ts';
import { figure } from '../../../../shared/science/figures/model.ts';
import { analyse } from '../../../../shared/tasks/analyses.ts';
import { gate } from '../../../../shared/tasks/gates.ts';
import { expectedT1 } from '../../../../shared/tasks/t1/simulation.ts';
import { at, measure } from '../../../support/measured.ts';
import { testHonestErrors } from '../honest-errors.ts';
import { describeMeasurement, inputsOf } from '../measured-task.ts';

describe('CheckT1', () => {
  test('finds T1 and draws the population on a logarithmic axis', async () => {
    const measured = await measure('CheckT1', 't1', { qid: '7' });
    const analysis = analyse(measured);
    expect(Object.keys(analysis.outputs)).toEqual(['t1']);
    expect(analysis.r2).toBeGreaterThan(0.99);
    expect(gate(measured.task, analysis)).toBeNull();
    expect(analysis.figures).toHaveLength(1);
    const [drawn] = analysis.figures;
    expect(figure.parse(drawn)).toEqual(drawn);
    expect(drawn?.layout.title.text).toMatch(/^CheckT1 · qubit 7 · T1 = [\d.]+ ± [\d.]+ µs$/);
    expect(drawn?.layout.xaxis2).toMatchObject({ title: { text: 'Waiting time (µs)' }, type: 'log' });
    const [data] = drawn?.data ?? [];
    expect(data?.error_y?.array).toHaveLength(data?.x.length ?? 0);
    const residuals = drawn?.data.find(({ name, yaxis }) => name === 'data' && yaxis === 'y2')?.y ?? [];
    const square = residuals.reduce((sum, value) => sum + value ** 2, 0) / residuals.length;
    expect(square).toBeGreaterThan(0.3);
    expect(square).toBeLessThan(3);
    expect(drawn?.layout.yaxis.title.text).toBe('Excited-state population');
  });

  test('finds the same T1 for a backend that measures no reference states', async () => {
    const measured = await measure('CheckT1', 't1');
    const { iq_re, iq_im } = measured.dataset.variables;
    if (!iq_re || !iq_im) return expect.fail('no IQ data');
    const { time = 0 } = measured.dataset.dims;
    const { time: coordinate } = measured.dataset.coordinates;
    if (!coordinate) return expect.fail('no times');
    const bare = { dims: { time }, coordinates: { time: coordinate }, variables: { iq_re, iq_im } };
    const withReference = analyse(measured).outputs.t1;
    const without = analyse({ ...measured, dataset: bare });
    const difference = Math.abs((without.outputs.t1?.value ?? 0) - (withReference?.value ?? 0));
    expect(difference).toBeLessThan(withReference?.error ?? 0);
    expect(without.figures[0]?.layout.yaxis.title.text).toBe('Signal (a.u.)');
  });

  test('fails on pure noise and keeps its figure', async () => {
    const faults = { rules: [{ match: {}, behaviour: 'noise' as const }] };
    for (let index = 0; index < 30; index++) {
      const measured = await measure('CheckT1', `noise-${index}`, { faults });
      const analysis = analyse(measured);
      expect(gate(measured.task, analysis)).not.toBeNull();
      expect(analysis.figures).toHaveLength(1);
    }
  });

  test('fails if its pulses do not excite the qubit', async () => {
    const measured = await measure('CheckT1', 'weak', { inputs: { hpi_amplitude: 1e-6 } });
    expect(gate(measured.task, analyse(measured))).not.toBeNull();
  });

  test('refuses a decay outside of its sweep', async () => {
    const measured = await measure('CheckT1', 'short', {
      run: { time_range: { value: [1, 2, 21], value_type: 'np.logspace' } },
    });
    const analysis = analyse(measured);
    expect(analysis.outputs).toEqual({});
    expect(gate(measured.task, analysis)).not.toBeNull();
  });
});

describeMeasurement('CheckT1Average', { figures: 11, title: /T1 = [\d.]+ ± [\d.]+ µs, std [\d.]+ µs$/ });

// The true value of the average is the value around which the runs scatter.
testHonestErrors('CheckT1Average', { truths: { t1_average: expectedT1 } });

test('the error of an average takes the small number of runs into account', async () => {
  const measured = await measure('CheckT1Average', 'runs', { inputs: inputsOf('runs', '0') });
  const errorOfSpread = () => {
    const { t1_average: average, t1_std: spread } = analyse(measured).outputs;
    return (Math.sqrt(10) * (average?.error ?? Number.NaN)) / (spread?.value ?? Number.NaN);
  };
  // The uncertainty of the amplifier is common to all runs, and not visible in their scatter.
  expect(errorOfSpread()).toBeGreaterThan(1.06);
  // Without prepared states the amplifier is ignored. Student's t for ten values has 68.3 % within 1.059 errors.
  for (const name of ['reference_re', 'reference_im']) delete measured.dataset.variables[name];
  expect(errorOfSpread()).toBeCloseTo(1.059, 3);
});

test('the error of two runs that agree by chance is at least that of each run divided by the root of two', async () => {
  const run = { n_runs: 2 };
  const measured = await measure('CheckT1Average', 'runs', { inputs: inputsOf('runs', '0'), run });
  for (const { values } of Object.values(measured.dataset.variables)) {
    values.copyWithin(values.length / 2, 0, values.length / 2);
  }
  const { t1_average: average, t1_std: spread } = analyse(measured).outputs;
  expect(spread?.value).toBeLessThan(1e-6);
  expect((average?.error ?? 0) / (average?.value ?? Number.NaN)).toBeGreaterThan(0.005);
});

test('an average ignores a run that was not measured, and reports if too few remain', async () => {
  const measured = await measure('CheckT1Average', 'runs', { inputs: inputsOf('runs', '0') });
  const { iq_re } = measured.dataset.variables;
  const loseRuns = (count: number) => iq_re?.values.fill(null, 0, count * 51);
  loseRuns(1);
  const analysis = analyse(measured);
  expect(gate(measured.task, analysis)).toBeNull();
  loseRuns(6);
  expect(analyse(measured).refused).toMatch(/^4 of 10 runs give a decay; 5 are needed: /);
});

testHonestErrors('CheckT1', { truths: { t1: (qubit) => qubit.t1 }, seeds: 200 });

test('CheckT1 would have errors that are too small if all points had equal weights', async () => {
  const weighted: number[] = [];
  const alike: number[] = [];
  for (let index = 0; index < 200; index++) {
    const seed = `coverage-${index}`;
    const measured = await measure('CheckT1', seed, { qid: String(index % 16) });
    const { t1 } = createSimulator({ seed }).truthOf(measured.request, measured.qid, at);
    const deviation = (analysis: ReturnType<typeof analyse>) => {
      const { value, error } = analysis.outputs.t1 ?? expect.fail('no t1');
      return (value - t1) / error;
    };
    weighted.push(deviation(analyse(measured)));
    // Without the number of shots the analysis gives all points equal weights.
    alike.push(deviation(analyse({ ...measured, runParameters: {} })));
  }
  const rootMeanSquare = (values: readonly number[]) =>
    Math.sqrt(values.reduce((sum, value) => sum + value ** 2, 0) / values.length);
  expect(rootMeanSquare(weighted)).toBeGreaterThan(0.85);
  expect(rootMeanSquare(weighted)).toBeLessThan(1.1);
  expect(rootMeanSquare(alike)).toBeGreaterThan(rootMeanSquare(weighted) + 0.05);
});
