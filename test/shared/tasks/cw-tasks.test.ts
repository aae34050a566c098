import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type TrueQubit, trueQubit } from '../../../shared/science/device/device.ts';
import { reflect, sweepLine } from '../../../shared/science/device/reflection.ts';
import { analyse } from '../../../shared/tasks/analyses.ts';
import { gate } from '../../../shared/tasks/gates.ts';
import { at, measure, taskOf } from '../../support/measured.ts';
import { coverageSeeds, expectHonestErrors } from './coverage-rules.ts';

const SEEDS = coverageSeeds(80);
const noise = { rules: [{ match: {}, behaviour: 'noise' as const }] };

/** The group delay of the line in the middle of the default sweep: with the tails of its resonators. */
function delayOf(seed: string, qid: string): number {
  const first = Math.floor(Number(qid) / 4) * 4;
  const mates = [0, 1, 2, 3].map((place) => trueQubit(seed, String(first + place), at));
  const [a, b] = sweepLine(mates, [9.8024, 9.8025], 0);
  if (a === undefined || b === undefined) return Number.NaN;
  return -Math.atan2(b.im * a.re - b.re * a.im, b.re * a.re + b.im * a.im) / (2 * Math.PI * 1e-4);
}

type Truth = (qubit: TrueQubit, seed: string, qid: string) => number;

const cases: {
  name: string;
  inputs?: (qubit: TrueQubit) => Record<string, number>;
  truths: Record<string, Truth>;
}[] = [
  { name: 'CheckElectricalDelay', truths: { electrical_delay: (_, seed, qid) => delayOf(seed, qid) } },
  {
    name: 'CheckResonatorFrequencies',
    truths: { coarse_resonator_frequency: (qubit) => qubit.resonatorGround },
  },
  {
    name: 'CheckReflectionCoefficient',
    truths: {
      resonator_frequency: (qubit) => qubit.resonatorGround,
      kappa_external: (qubit) => 1000 * qubit.kappaExternal,
      kappa_internal: (qubit) => 1000 * qubit.kappaInternal,
    },
  },
  {
    name: 'CheckReadoutAmplitude',
    inputs: (qubit) => ({ readout_frequency: qubit.resonatorGround }),
    truths: {
      readout_amplitude: (qubit) => {
        const { re, im } = reflect(qubit, 0);
        return (qubit.lineNoise * Math.sqrt(2 * 1024)) / Math.hypot(re, im);
      },
    },
  },
  {
    name: 'CheckQubitFrequencies',
    inputs: (qubit) => ({ readout_frequency: qubit.resonatorGround }),
    truths: { coarse_qubit_frequency: (qubit) => qubit.f01 },
  },
  {
    name: 'CheckControlAmplitude',
    inputs: (qubit) => ({
      readout_frequency: qubit.resonatorGround,
      coarse_qubit_frequency: qubit.f01 + 0.002,
      coarse_control_amplitude: 0.006 / qubit.maximumRabiFrequency,
    }),
    truths: {
      coarse_qubit_frequency: (qubit) => qubit.f01,
      coarse_control_amplitude: (qubit) => 0.0125 / qubit.maximumRabiFrequency,
    },
  },
];

describe.each(cases)('the analysis of $name', ({ name, inputs, truths }) => {
  test('finds the truth with honest errors', async () => {
    const found = new Map<string, number[]>();
    let failed = 0;
    for (let index = 0; index < SEEDS; index++) {
      const [seed, qid] = [`cw-${index}`, String(index % 16)];
      const qubit = trueQubit(seed, qid, at);
      const analysis = analyse(await measure(name, seed, { qid, inputs: inputs?.(qubit) }));
      if (gate(taskOf(name), analysis) !== null) {
        failed += 1;
        continue;
      }
      for (const [output, truth] of Object.entries(truths)) {
        const { value, error } = analysis.outputs[output] ?? expect.fail(`no ${output}`);
        found.set(output, [...(found.get(output) ?? []), (value - truth(qubit, seed, qid)) / error]);
      }
    }
    expect(failed).toBeLessThanOrEqual(Math.max(1, 0.03 * SEEDS));
    for (const values of found.values()) expectHonestErrors(values);
  });

  test('refuses noise with a sentence, and keeps a figure', async () => {
    for (let index = 0; index < 20; index++) {
      const [seed, qid] = [`noise-${index}`, '1'];
      const measured = await measure(name, seed, {
        qid,
        inputs: inputs?.(trueQubit(seed, qid, at)),
        faults: noise,
      });
      const analysis = analyse(measured);
      expect(gate(measured.task, analysis)?.message ?? '').toMatch(/\d.*\.$|not converge\.$/);
      expect(analysis.figures.length).toBeGreaterThan(0);
    }
  });

  test('answers finite values or a refusal for any numbers whatever', () => {
    const axis = Object.keys(taskOf(name).runParameters).includes('amplitude_range')
      ? 'amplitude'
      : 'frequency';
    const numbers = fc.array(fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }), { nil: null }), {
      minLength: 48,
      maxLength: 48,
    });
    fc.assert(
      fc.property(numbers, numbers, numbers, (x, re, im) => {
        const variable = { dims: [axis], unit: '', long_name: '' };
        const analysis = analyse({
          task: taskOf(name),
          qid: '0',
          dataset: {
            dims: { [axis]: 48 },
            coordinates: { [axis]: { ...variable, values: x } },
            variables: {
              iq_re: { ...variable, values: re },
              iq_im: { ...variable, values: im },
              noise: { ...variable, values: re },
            },
          },
          inputs: { coarse_control_amplitude: { value: 0.1, value_type: 'float', unit: 'a.u.' } },
          runParameters: {},
        });
        const values = Object.values(analysis.outputs).flatMap(({ value, error }) => [value, error]);
        expect(values.every(Number.isFinite)).toBe(true);
        expect(values.length > 0 || analysis.refused !== undefined).toBe(true);
      }),
      { seed: 11, numRuns: 60 },
    );
  });
});

describe('CheckControlAmplitude', () => {
  const inputs = (qubit: TrueQubit, rabi: number, offset = 0) => ({
    readout_frequency: qubit.resonatorGround,
    coarse_qubit_frequency: qubit.f01 + offset,
    coarse_control_amplitude: rabi / qubit.maximumRabiFrequency,
  });

  test('keeps an amplitude that already drives faster than the target', async () => {
    const qubit = trueQubit('fast', '0', at);
    const measured = await measure('CheckControlAmplitude', 'fast', { inputs: inputs(qubit, 0.03) });
    const seed = measured.inputs.coarse_control_amplitude?.value;
    expect(analyse(measured).outputs.coarse_control_amplitude).toEqual({ value: seed, error: 0 });
  });

  test('fails when the qubit is not where the sweep looks', async () => {
    const qubit = trueQubit('away', '0', at);
    const measured = await measure('CheckControlAmplitude', 'away', { inputs: inputs(qubit, 0.01, 0.6) });
    expect(gate(measured.task, analyse(measured))).not.toBeNull();
  });
});

test('CheckReadoutAmplitude shows signal, noise and their ratio in panels under each other', async () => {
  const inputs = { readout_frequency: trueQubit('panels', '0', at).resonatorGround };
  const { outputs, figures } = analyse(await measure('CheckReadoutAmplitude', 'panels', { inputs }));
  const [figure] = figures;
  expect(figures).toHaveLength(1);
  const { yaxis, yaxis2, yaxis3 } = figure?.layout ?? expect.fail('no figure');
  expect([yaxis, yaxis2, yaxis3].map((axis) => axis?.title.text)).toEqual([
    'Signal (a.u.)',
    'Noise (a.u.)',
    'Signal over noise',
  ]);
  const [top, middle, bottom] = [yaxis, yaxis2, yaxis3].map(
    (axis) => axis?.domain?.[0] ?? expect.fail('nowhere'),
  );
  expect([bottom, middle, top]).toEqual([bottom, middle, top].sort());
  const chosen = figure?.data.find(({ name }) => name === 'chosen amplitude');
  expect(chosen?.xaxis).toBe('x3');
  expect(chosen?.x[0]).toBeCloseTo(outputs.readout_amplitude?.value ?? Number.NaN, 6);
});

describe('CheckWaveform and CheckNoise', () => {
  test('show what they captured and put out nothing', async () => {
    for (const name of ['CheckWaveform', 'CheckNoise']) {
      const measured = await measure(name, 'captured', { qid: '3' });
      const analysis = analyse(measured);
      expect(gate(measured.task, analysis)).toBeNull();
      expect(analysis.outputs).toEqual({});
      expect(analysis.figures).toHaveLength(measured.task.figures.length);
    }
  });

  test('uses the pulse that it is told to', async () => {
    const run = { readout_amplitude: 0.2, readout_duration: 200, readout_pre_margin: 40 };
    const { dataset } = await measure('CheckWaveform', 'captured', { run });
    expect(dataset.dims.time).toBe(Math.ceil((200 + 40 + 128) / 8));
  });

  test('misses a pulse that did not come', async () => {
    const measured = await measure('CheckWaveform', 'captured', { faults: noise });
    expect(analyse(measured).refused).toMatch(/^no pulse stands out of the capture: .* a\.u\./);
  });
});
