import { describe, expect, test } from 'vitest';
import { createSimulator } from '../../../../activities/backends/simulator/simulator.ts';
import { createdDrag } from '../../../../scripts/bench/honesty/truths/pulses.ts';
import { trueQubit } from '../../../../shared/science/device/device.ts';
import { dragAmplitude, idealBeta } from '../../../../shared/science/device/drag-pulses.ts';
import { dragGateError } from '../../../../shared/science/device/gate-errors.ts';
import { randomFrom } from '../../../../shared/science/device/random.ts';
import { figure } from '../../../../shared/science/figures/model.ts';
import { fitDragBeta } from '../../../../shared/science/fitting/drag-fits.ts';
import { analyse } from '../../../../shared/tasks/analyses.ts';
import { betaPopulation } from '../../../../shared/tasks/create-drag-pulse/simulation.ts';
import { gate } from '../../../../shared/tasks/gates.ts';
import { coverageSeeds, expectHonestErrors } from '../../../support/coverage-rules.ts';
import { perfectInputs } from '../../../support/drag-inputs.ts';
import { at, measure } from '../../../support/measured.ts';

const noise = { rules: [{ match: {}, behaviour: 'noise' as const }] };
const created = [
  { task: 'CreateDRAGHPIPulse', name: 'drag_hpi', lengthNs: 16, angle: Math.PI / 2 },
  { task: 'CreateDRAGPIPulse', name: 'drag_pi', lengthNs: 24, angle: Math.PI },
] as const;

describe.each(created)('$task', ({ task, name, lengthNs, angle }) => {
  test('finds amplitude, beta and length', async () => {
    const measured = await measure(task, 'drag', { inputs: perfectInputs('drag') });
    const analysis = analyse(measured);
    expect(Object.keys(analysis.outputs)).toEqual([`${name}_beta`, `${name}_amplitude`, `${name}_length`]);
    expect(gate(measured.task, analysis)).toBeNull();
    expect(analysis.r2).toBeGreaterThan(0.99);
    expect(analysis.outputs[`${name}_length`]).toEqual({ value: lengthNs, error: 0 });
  });

  test('sweeps amplitude and beta twice, each around the result of the previous sweep', async () => {
    const perfect = perfectInputs('drag');
    const { dataset } = await measure(task, 'drag', {
      inputs: { ...perfect, control_amplitude: 1.08 * perfect.control_amplitude },
    });
    const middle = (axis: string) => {
      const values = dataset.coordinates[axis]?.values ?? [];
      return ((values[0] ?? 0) + (values.at(-1) ?? 0)) / 2;
    };
    for (const axis of ['amplitude_1', 'beta_1', 'amplitude_2', 'beta_2']) {
      expect(dataset.dims[axis]).toBe(20);
      expect(dataset.variables[`${axis}_iq_re`]?.dims).toEqual([axis]);
    }
    const right = perfect[`${name}_amplitude`];
    expect(middle('amplitude_1') / right).toBeCloseTo(1.08, 2);
    expect(middle('amplitude_2') / right).toBeCloseTo(1, 2);
    expect(dataset.coordinates.beta_2?.values[0]).toBeCloseTo(middle('beta_2') - 2, 6);
  });

  test('has honest errors over fixed seeds, with start values as after a bring-up', async () => {
    const deviations: { amplitude: number[]; beta: number[] } = { amplitude: [], beta: [] };
    for (let index = 0; index < coverageSeeds(60); index++) {
      const [seed, qid] = [`drag-${index}`, String(index % 16)];
      const perfect = perfectInputs(seed, qid);
      const random = randomFrom('bring-up', index);
      const frequency = perfect.qubit_frequency + random.between(-1e-4, 1e-4);
      const measured = await measure(task, seed, {
        qid,
        inputs: {
          ...perfect,
          qubit_frequency: frequency,
          control_amplitude: perfect.control_amplitude * random.between(0.97, 1.03),
        },
      });
      const { outputs } = analyse(measured);
      const amplitude = outputs[`${name}_amplitude`] ?? expect.fail('no amplitude');
      const beta = outputs[`${name}_beta`] ?? expect.fail('no beta');
      const qubit = createSimulator({ seed }).truthOf(measured.request, qid, at);
      const betas = measured.dataset.coordinates.beta_2?.values ?? [];
      const truth = createdDrag(
        qubit,
        name,
        { amplitude: amplitude.value, lengthNs, beta: idealBeta(qubit), frequency },
        ((betas[0] ?? 0) + (betas.at(-1) ?? 0)) / 2,
      );
      deviations.amplitude.push((amplitude.value - truth.amplitude) / amplitude.error);
      deviations.beta.push((beta.value - truth.beta) / beta.error);
    }
    expectHonestErrors(deviations.amplitude);
    expectHonestErrors(deviations.beta);
  });

  test('creates a gate close to its coherence limit', async () => {
    for (let index = 0; index < 30; index++) {
      const [seed, qid] = [`gate-${index}`, String(index % 16)];
      const perfect = perfectInputs(seed, qid);
      const measured = await measure(task, seed, { qid, inputs: perfect });
      const { outputs } = analyse(measured);
      const qubit = createSimulator({ seed }).truthOf(measured.request, qid, at);
      const pulse = {
        amplitude: outputs[`${name}_amplitude`]?.value ?? 0,
        beta: outputs[`${name}_beta`]?.value ?? 0,
        lengthNs,
        frequency: qubit.f01,
      };
      const best = { ...pulse, amplitude: perfect[`${name}_amplitude`], beta: idealBeta(qubit) };
      expect(dragGateError(qubit, pulse, angle) / dragGateError(qubit, best, angle)).toBeLessThan(1.3);
    }
  });

  test('centres its first sweep of beta by the anharmonicity, and has the same result without it', async () => {
    const inputs = perfectInputs('drag');
    const { anharmonicity } = createSimulator({ seed: 'drag' }).truth('chip', '0', at);
    const known = await measure(task, 'drag', { inputs: { ...inputs, anharmonicity } });
    const unknown = await measure(task, 'drag', { inputs });
    expect(known.dataset.coordinates.beta_1?.values[0]).toBeCloseTo(idealBeta({ anharmonicity }) - 2, 5);
    const [a, b] = [known, unknown].map((measured) => analyse(measured).outputs[`${name}_beta`]);
    expect(Math.abs((a?.value ?? 0) - (b?.value ?? 1))).toBeLessThan(4 * (a?.error ?? 0));
  });

  test('refuses a control amplitude that is far off instead of taking the next maximum', async () => {
    const perfect = perfectInputs('drag');
    for (const factor of [0.6, 0.75, 1.2, 1.3]) {
      const measured = await measure(task, 'drag', {
        inputs: { ...perfect, control_amplitude: factor * perfect.control_amplitude },
      });
      expect(gate(measured.task, analyse(measured))).not.toBeNull();
    }
    const far = await measure(task, 'drag', {
      inputs: { ...perfect, control_amplitude: 1.25 * perfect.control_amplitude },
    });
    expect(analyse(far).refused).toMatch(/after (4\.9|5\.0)\d turns, and 4 are expected/);
  });

  test('fails on noise, a wrong drive frequency and a wrong readout, with both figures', async () => {
    const perfect = perfectInputs('drag');
    const bad = [
      await measure(task, 'drag', { inputs: perfect, faults: noise }),
      await measure(task, 'drag', { inputs: { ...perfect, qubit_frequency: 7.5 } }),
      await measure(task, 'drag', { inputs: { ...perfect, readout_frequency: 8.1 } }),
    ];
    for (const measured of bad) {
      const analysis = analyse(measured);
      expect(gate(measured.task, analysis)).not.toBeNull();
      expect(analysis.outputs).toEqual({});
      expect(analysis.figures).toHaveLength(2);
    }
  });

  test('reports a pulse that is too short for the instrument', async () => {
    const inputs = { ...perfectInputs('drag'), control_amplitude: 0.9 };
    await expect(measure(task, 'drag', { inputs })).rejects.toThrow(/it would need the amplitude \d/);
  });

  test('draws both sweeps with fit and marker', async () => {
    const { figures } = analyse(
      await measure(task, 'drag', { qid: '2', inputs: perfectInputs('drag', '2') }),
    );
    expect(figures).toHaveLength(2);
    for (const drawn of figures) expect(figure.parse(drawn)).toEqual(drawn);
    expect(figures[0]?.layout.title.text).toMatch(/qubit 2 · amplitude = 0\.\d+ ± 0\.\d+ a\.u\.$/);
    expect(figures[1]?.layout.title.text).toMatch(/qubit 2 · beta = 0\.\d+ ± 0\.\d+ ns$/);
    expect(figures[1]?.data.find(({ name }) => name === 'beta')?.line?.dash).toBe('dash');
  });
});

describe.each([
  { task: 'CheckDRAGHPIPulse', name: 'drag_hpi' },
  { task: 'CheckDRAGPIPulse', name: 'drag_pi' },
] as const)('$task', ({ task, name }) => {
  test('passes a correct pulse, with a rotation error below 1 %', async () => {
    for (let index = 0; index < 16; index++) {
      const [seed, qid] = [`check-${index}`, String(index)];
      const measured = await measure(task, seed, { qid, inputs: perfectInputs(seed, qid) });
      const analysis = analyse(measured);
      expect(gate(measured.task, analysis)).toBeNull();
      expect(Object.keys(analysis.outputs)).toEqual([`${name}_rotation_error`]);
      const { value } = analysis.outputs[`${name}_rotation_error`] ?? {};
      expect(Math.abs(value ?? Number.NaN)).toBeLessThan(0.01);
      expect(analysis.r2).toBeGreaterThan(0.95);
      expect(analysis.figures).toHaveLength(1);
    }
  });

  test('fails a pulse that rotates 8 % too far, and noise', async () => {
    const perfect = perfectInputs('check');
    const changed = { ...perfect, [`${name}_amplitude`]: 1.08 * perfect[`${name}_amplitude`] };
    const wrong = await measure(task, 'check', { inputs: changed });
    expect(gate(wrong.task, analyse(wrong))?.rule).toBe('r2');
    const noisy = await measure(task, 'check', { inputs: perfect, faults: noise });
    expect(gate(noisy.task, analyse(noisy))).not.toBeNull();
  });
});

describe('the fit of beta', () => {
  const betas = Array.from({ length: 20 }, (_, index) => -1.7 + (4 * index) / 19);

  test('finds the zero of any such signal', () => {
    const random = randomFrom('beta fit');
    for (let round = 0; round < 100; round++) {
      const root = random.between(-0.5, 1);
      const z = betas.map((beta) => Math.sin(-0.86 * (beta - root)) + 0.02 * random.normal());
      const { fit, slope } = fitDragBeta(betas, z, { across: 0.02, shots: 2048 });
      if (!fit.ok) return expect.fail(fit.message);
      expect(Math.abs((fit.parameters[0] ?? 0) - root)).toBeLessThan(6 * (fit.errors[0] ?? 0));
      expect(slope).toBeCloseTo(-0.86, 0);
    }
  });

  test('is refused for too few points and for a constant', () => {
    const quiet = { across: 0.02, shots: 2048 };
    expect(fitDragBeta([0, 1, 2], [1, 0, -1], quiet).fit.ok).toBe(false);
    const flat = betas.map(() => 0);
    expect(fitDragBeta(betas, flat, quiet).fit.ok).toBe(false);
  });
});

test.each(created)(
  'a wrong beta of the $name pulse changes the sequence, with the slope from integration',
  ({ name, lengthNs, angle }) => {
    const qubit = trueQubit('drag', '0', at);
    const pulse = {
      amplitude: dragAmplitude(qubit, angle, lengthNs),
      lengthNs,
      beta: idealBeta(qubit),
      frequency: qubit.f01,
    };
    const polarisation = (offset: number) =>
      1 - 2 * betaPopulation(qubit, { ...pulse, beta: pulse.beta + offset }, name);
    expect(Math.abs(polarisation(0))).toBeLessThan(0.01);
    const slope = (polarisation(0.05) - polarisation(-0.05)) / 0.1;
    expect(slope).toBeLessThan(name === 'drag_hpi' ? -0.5 : -0.8);
    expect(slope).toBeGreaterThan(name === 'drag_hpi' ? -0.7 : -1.1);
  },
);
