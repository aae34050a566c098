import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { kinds } from '../../../../scripts/bench/honesty/kinds.ts';
import { judge } from '../../../../scripts/bench/honesty/measuring.ts';
import { figure } from '../../../../shared/science/figures/model.ts';
import { analyse } from '../../../../shared/tasks/analyses.ts';
import { numberOf } from '../../../../shared/tasks/common/parameters.ts';
import { gate } from '../../../../shared/tasks/gates.ts';
import { coverageSeeds, expectHonestErrors } from '../../../support/coverage-rules.ts';
import { measure, taskOf } from '../../../support/measured.ts';
import { type Truth, testHonestErrors } from '../honest-errors.ts';
import { describeMeasurement } from '../measured-task.ts';

const noise = { rules: [{ match: {}, behaviour: 'noise' as const }] };

describe('CheckRabi', () => {
  test('finds exactly the outputs of the catalog, all of them finite', async () => {
    const measured = await measure('CheckRabi', 'rabi');
    const analysis = analyse(measured);
    expect(Object.keys(analysis.outputs).sort()).toEqual(Object.keys(measured.task.outputs).sort());
    expect(analysis.r2).toBeGreaterThan(0.99);
    expect(analysis.refused).toBeUndefined();
    expect(gate(measured.task, analysis)).toBeNull();
  });

  test('scales the control amplitude to 12.5 MHz', async () => {
    const { outputs } = analyse(await measure('CheckRabi', 'scale', { inputs: { control_amplitude: 0.02 } }));
    const control = outputs.control_amplitude?.value ?? 0;
    const again = analyse(await measure('CheckRabi', 'scale', { inputs: { control_amplitude: control } }));
    expect(again.outputs.rabi_frequency?.value).toBeCloseTo(12.5, 1);
    expect(again.outputs.control_amplitude?.value).toBeCloseTo(control, 3);
  });

  test('keeps the control amplitude inside the range of the instrument', async () => {
    const measured = await measure('CheckRabi', 'rabi');
    const inputs = {
      ...measured.inputs,
      control_amplitude: { value: 50, value_type: 'float', unit: 'a.u.' },
    };
    expect(analyse({ ...measured, inputs }).outputs.control_amplitude).toEqual({ value: 0.99, error: 0 });
  });

  test('draws the fit and the IQ plane, with task, qubit, value and units', async () => {
    const { figures } = analyse(await measure('CheckRabi', 'rabi', { qid: '3' }));
    expect(figures).toHaveLength(2);
    for (const drawn of figures) expect(figure.parse(drawn)).toEqual(drawn);
    const [fit, plane] = figures;
    expect(fit?.layout.title.text).toMatch(/^CheckRabi · qubit 3 · f = [\d.]+ ± [\d.]+ MHz$/);
    expect(fit?.layout.xaxis2?.title.text).toBe('Pulse length (ns)');
    expect(fit?.layout.yaxis.title.text).toMatch(/\(a\.u\.\)$/);
    expect(fit?.data[0]?.x).toHaveLength(55);
    expect(fit?.data[1]?.name).toMatch(/^fit, r² = 0\.9\d+$/);
    expect(plane?.layout.yaxis.scaleanchor).toBe('x');
    expect(plane?.layout.title.text).toMatch(/^CheckRabi · qubit 3 · amplitude .* a\.u\.$/);
  });

  test('fails on pure noise with the numbers of its fit, and keeps both figures', async () => {
    for (let index = 0; index < 30; index++) {
      const measured = await measure('CheckRabi', `noise-${index}`, { faults: noise });
      const analysis = analyse(measured);
      const failure = gate(measured.task, analysis);
      expect(failure?.rule).toBe('r2');
      expect(failure?.message).toMatch(
        /^The fit of CheckRabi is not good enough: r2 -?[\d.e-]+ is not above 0\.6\.$/,
      );
      expect(analysis.figures).toHaveLength(2);
    }
  });

  test('fails if the drive is far off resonance', async () => {
    const measured = await measure('CheckRabi', 'off', { inputs: { qubit_frequency: 7.5 } });
    expect(gate(measured.task, analyse(measured))).not.toBeNull();
  });

  test('fails if the readout is far off its resonator', async () => {
    const measured = await measure('CheckRabi', 'off', { inputs: { readout_frequency: 8.1 } });
    expect(gate(measured.task, analyse(measured))).not.toBeNull();
  });

  test('refuses an oscillation that is too slow for its sweep', async () => {
    const measured = await measure('CheckRabi', 'slow', { inputs: { control_amplitude: 0.0005 } });
    expect(analyse(measured)).toMatchObject({ outputs: {}, refused: expect.any(String) });
  });

  test('refuses invalid data with a message and without throwing', async () => {
    const measured = await measure('CheckRabi', 'rabi');
    const { coordinates, dims, variables } = measured.dataset;
    const refused = (dataset: typeof measured.dataset) => {
      const analysis = analyse({ ...measured, dataset });
      expect(analysis.outputs).toEqual({});
      return analysis.refused;
    };
    expect(refused({ dims: {}, coordinates: {}, variables: {} })).toBe('the dataset has no coordinate time');
    expect(refused({ dims, coordinates, variables: {} })).toBe('the dataset has no iq_re and iq_im');
    expect(refused({ dims: { time: 9 }, coordinates, variables })).toBe(
      'time has 55 values where its dimensions need 9',
    );
    const empty = Object.fromEntries(
      Object.entries(variables).map(([name, variable]) => [
        name,
        { ...variable, values: variable.values.map(() => null) },
      ]),
    );
    expect(refused({ dims, coordinates, variables: empty })).toBe('the dataset has no measured points');
  });

  test('ignores single points that were not measured', async () => {
    const measured = await measure('CheckRabi', 'rabi');
    const values = measured.dataset.variables.iq_re?.values ?? [];
    values[7] = null;
    const analysis = analyse(measured);
    expect(gate(measured.task, analysis)).toBeNull();
    expect(analysis.figures[0]?.data[0]?.x).toHaveLength(54);
  });

  test('returns finite values or a refusal for any numbers', () => {
    const task = taskOf('CheckRabi');
    const numbers = fc.array(fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }), { nil: null }), {
      minLength: 12,
      maxLength: 12,
    });
    fc.assert(
      fc.property(numbers, numbers, numbers, (time, re, im) => {
        const variable = { dims: ['time'], unit: 'ns', long_name: '' };
        const analysis = analyse({
          task,
          qid: '0',
          dataset: {
            dims: { time: 12 },
            coordinates: { time: { ...variable, values: time } },
            variables: { iq_re: { ...variable, values: re }, iq_im: { ...variable, values: im } },
          },
          inputs: { control_amplitude: { value: 0.1, value_type: 'float', unit: 'a.u.' } },
          runParameters: {},
        });
        const values = Object.values(analysis.outputs).flatMap(({ value, error }) => [value, error]);
        expect(values.every(Number.isFinite)).toBe(true);
        expect(values.length > 0 || analysis.refused !== undefined).toBe(true);
      }),
      { seed: 7 },
    );
  });
});

describeMeasurement('CheckQubit', { figures: 1, title: /f = [\d.]+ ± [\d.]+ MHz$/ });

/** Rabi frequency √(Ω² + Δ²) in MHz with the drive of the stored values. */
const followedRabiFrequency: Truth = (qubit, { inputs }) =>
  1000 *
  Math.hypot(
    qubit.maximumRabiFrequency * (numberOf(inputs.control_amplitude) ?? 0),
    (numberOf(inputs.qubit_frequency) ?? 0) - qubit.f01,
  );

testHonestErrors('CheckQubit', { truths: { rabi_frequency: followedRabiFrequency } });
testHonestErrors('CheckRabi', {
  truths: {
    rabi_frequency: followedRabiFrequency,
    maximum_rabi_frequency: (qubit, measured) =>
      followedRabiFrequency(qubit, measured) / (numberOf(measured.inputs.control_amplitude) ?? Number.NaN),
    rabi_noise: (qubit) => qubit.noise / Math.sqrt(2048),
  },
  seeds: 200,
});

test('reports the position of an oscillation in the IQ plane with honest errors, although its decay is below the noise', () => {
  const kind = kinds.find(({ name }) => name === 'CheckRabi') ?? expect.fail('no kind');
  const verdicts = Array.from({ length: coverageSeeds(100) }, (_, index) => judge(kind, `plane-${index}`));
  for (const output of ['rabi_amplitude', 'rabi_offset', 'rabi_reference_phase', 'rabi_distance']) {
    expectHonestErrors(verdicts.map(({ pulls }) => pulls[output] ?? expect.fail(`no ${output}`)));
  }
});

test('finds the initial state of a strong drive, although its shortest pulse rotates the qubit beyond the middle', () => {
  const kind =
    kinds.find(({ name }) => name === 'Rabi driven up to 12 times too hard') ?? expect.fail('no kind');
  const verdicts = Array.from({ length: coverageSeeds(100) }, (_, index) => judge(kind, `hard-${index}`));
  const told = verdicts.filter(({ outcome }) => outcome !== 'refused');
  expect(told.length).toBeGreaterThan(0.8 * verdicts.length);
  for (const { seed, pulls } of told) {
    for (const output of ['rabi_angle', 'rabi_phase', 'rabi_reference_phase']) {
      expect(Math.abs(pulls[output] ?? Number.NaN), `${seed}, ${output}`).toBeLessThan(6);
    }
  }
});
