import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createSimulator } from '../../../../activities/backends/simulator/simulator.ts';
import type { TrueQubit } from '../../../../shared/science/device/device.ts';
import { dragGateError } from '../../../../shared/science/device/gate-errors.ts';
import { randomFrom } from '../../../../shared/science/device/random.ts';
import { figure } from '../../../../shared/science/figures/model.ts';
import { fitPowerDecays } from '../../../../shared/science/fitting/power-decay.ts';
import { coherenceInfidelity } from '../../../../shared/science/quantum/gate-coherence.ts';
import { analyse } from '../../../../shared/tasks/analyses.ts';
import { cliffordDecay } from '../../../../shared/tasks/common/simulation/benchmarking-sequences.ts';
import { gate } from '../../../../shared/tasks/gates.ts';
import { coverageSeeds, expectHonestErrors } from '../../../support/coverage-rules.ts';
import { perfectInputs } from '../../../support/drag-inputs.ts';
import { at, measure } from '../../../support/measured.ts';

const tasks = [
  { name: 'RandomizedBenchmarking', fidelity: 'average_gate_fidelity', rate: 'depolarizing_rate' },
  {
    name: 'X90InterleavedRandomizedBenchmarking',
    fidelity: 'x90_gate_fidelity',
    rate: 'x90_depolarizing_rate',
  },
  {
    name: 'X180InterleavedRandomizedBenchmarking',
    fidelity: 'x180_gate_fidelity',
    rate: 'x180_depolarizing_rate',
  },
] as const;

type Inputs = ReturnType<typeof perfectInputs>;

/** Expected average infidelity, from the played pulses. */
function trueError(name: (typeof tasks)[number]['name'], qubit: TrueQubit, inputs: Inputs): number {
  const frequency = inputs.qubit_frequency;
  const x90 = dragGateError(
    qubit,
    { amplitude: inputs.drag_hpi_amplitude, lengthNs: 16, beta: inputs.drag_hpi_beta, frequency },
    Math.PI / 2,
  );
  if (name === 'X90InterleavedRandomizedBenchmarking') return x90;
  if (name === 'RandomizedBenchmarking') return (1 - cliffordDecay(x90)) / 2;
  return dragGateError(
    qubit,
    { amplitude: inputs.drag_pi_amplitude, lengthNs: 24, beta: inputs.drag_pi_beta, frequency },
    Math.PI,
  );
}

async function benchmark(name: string, seed: string, changes: Partial<Inputs> = {}, qid = '0') {
  const inputs = { ...perfectInputs(seed, qid), ...changes };
  const measured = await measure(name, seed, { qid, inputs });
  const qubit = createSimulator({ seed }).truthOf(measured.request, qid, at);
  return { measured, analysis: analyse(measured), qubit, inputs };
}

describe.each(tasks)('$name', ({ name, fidelity, rate }) => {
  test('finds a fidelity and the corresponding depolarizing rate', async () => {
    const { measured, analysis } = await benchmark(name, 'rb');
    expect(Object.keys(analysis.outputs).sort()).toEqual(Object.keys(measured.task.outputs).sort());
    expect(gate(measured.task, analysis)).toBeNull();
    const found = analysis.outputs[fidelity];
    expect(found?.value).toBeGreaterThan(0.998);
    expect(analysis.outputs[rate]?.value).toBeCloseTo(2 * (1 - (found?.value ?? 0)), 12);
    expect(analysis.outputs[rate]?.error).toBeCloseTo(2 * (found?.error ?? 0), 12);
  });

  test('has honest errors over fixed seeds, for good and for badly calibrated pulses', async () => {
    for (const scale of [1, 1.05]) {
      const deviations: number[] = [];
      for (let index = 0; index < coverageSeeds(60); index++) {
        const [seed, qid] = [`rb-${index}`, String(index % 16)];
        const perfect = perfectInputs(seed, qid);
        const changes = {
          drag_hpi_amplitude: scale * perfect.drag_hpi_amplitude,
          drag_pi_amplitude: scale * perfect.drag_pi_amplitude,
        };
        const { measured, analysis, qubit, inputs } = await benchmark(name, seed, changes, qid);
        expect(gate(measured.task, analysis)).toBeNull();
        const found = analysis.outputs[fidelity] ?? expect.fail('no fidelity');
        deviations.push((found.value - 1 + trueError(name, qubit, inputs)) / found.error);
      }
      expectHonestErrors(deviations);
    }
  });

  test.each([0.8, 0.9])(
    'does not attribute an excited state that was prepared or read to %s of its distance to the gates',
    async (part) => {
      const deviations: number[] = [];
      for (let index = 0; index < coverageSeeds(60); index++) {
        const [seed, qid] = [`rb-short-${index}`, String(index % 16)];
        const { measured, qubit, inputs } = await benchmark(name, seed, {}, qid);
        for (const variable of [
          measured.dataset.variables.reference_re,
          measured.dataset.variables.reference_im,
        ]) {
          const values = variable?.values.map(Number) ?? expect.fail('no reference');
          const half = values.length / 2;
          const ground = values.slice(0, half).reduce((sum, value) => sum + value, 0) / half;
          if (variable)
            variable.values = values.map((value, at) =>
              at < half ? value : ground + part * (value - ground),
            );
        }
        const analysis = analyse(measured);
        const found = analysis.outputs[fidelity];
        if (found) deviations.push((found.value - 1 + trueError(name, qubit, inputs)) / found.error);
      }
      expectHonestErrors(deviations);
    },
  );

  test('returns fidelities in [0, 1] or a refusal for any calibration of the pulses', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.double({ min: 0.05, max: 2.5, noNaN: true }),
        fc.double({ min: -5, max: 5, noNaN: true }),
        fc.double({ min: -0.03, max: 0.03, noNaN: true }),
        fc.integer({ min: 0, max: 1000 }),
        async (scale, beta, detuning, number) => {
          const perfect = perfectInputs(`any-${number}`);
          const { measured, analysis } = await benchmark(name, `any-${number}`, {
            qubit_frequency: perfect.qubit_frequency + detuning,
            drag_hpi_amplitude: scale * perfect.drag_hpi_amplitude,
            drag_pi_amplitude: scale * perfect.drag_pi_amplitude,
            drag_hpi_beta: beta,
            drag_pi_beta: beta,
          });
          const value = analysis.outputs[fidelity]?.value;
          if (value === undefined) expect(gate(measured.task, analysis)).not.toBeNull();
          else expect(value >= 0 && value <= 1).toBe(true);
          expect(analysis.figures.length).toBeGreaterThan(0);
        },
      ),
      { seed: 1, numRuns: 60 },
    );
  });

  test('fails on pure noise with a message, and keeps a figure', async () => {
    const faults = { rules: [{ match: {}, behaviour: 'noise' as const }] };
    for (let index = 0; index < 20; index++) {
      const seed = `noise-${index}`;
      const measured = await measure(name, seed, { inputs: perfectInputs(seed), faults });
      const analysis = analyse(measured);
      expect(gate(measured.task, analysis)?.message).toMatch(/ \d/);
      expect(analysis.figures).toHaveLength(1);
    }
  });

  test('fails if the readout is far off its resonator, or the drive far off the qubit', async () => {
    const unread = await benchmark(name, 'rb', { readout_frequency: 8.1 });
    expect(gate(unread.measured.task, unread.analysis)?.message).toMatch(/do not differ enough to scale/);
    const undriven = await benchmark(name, 'rb', { qubit_frequency: 7.5 });
    expect(gate(undriven.measured.task, undriven.analysis)).not.toBeNull();
  });

  test('draws the survival with errors and fit', async () => {
    const { figures } = analyse((await benchmark(name, 'rb', {}, '3')).measured);
    const [drawn] = figures;
    expect(figures).toHaveLength(1);
    expect(figure.parse(drawn)).toEqual(drawn);
    expect(drawn?.layout.title.text).toMatch(
      / · qubit 3 · F(\(X\d+\))? = 0\.99\d+ ± 0\.0\d+( per Clifford)?$/,
    );
    const shown = drawn?.data.filter(({ showlegend }) => showlegend !== false) ?? [];
    // Points and fit of each curve, and every single sequence.
    expect(shown).toHaveLength(name === 'RandomizedBenchmarking' ? 3 : 5);
    expect(new Set(shown.map((trace) => trace.name)).size).toBe(shown.length);
    // All lengths except 0, which has no position on a logarithmic axis.
    expect(drawn?.data[0]?.error_y?.array).toHaveLength(12);
    expect(drawn?.layout.xaxis.type).toBe('log');
    const single = shown.find((trace) => trace.name === 'single sequences');
    expect(single?.x.length).toBeGreaterThan(100);
  });
});

describe('randomized benchmarking', () => {
  test('agrees with the coherence limit if the pulses are correct', async () => {
    const deviations: number[] = [];
    for (let index = 0; index < coverageSeeds(60); index++) {
      const [seed, qid] = [`limit-${index}`, String(index % 16)];
      const { analysis, qubit } = await benchmark('RandomizedBenchmarking', seed, {}, qid);
      const found = analysis.outputs.average_gate_fidelity ?? expect.fail('no fidelity');
      deviations.push((found.value - 1 + coherenceInfidelity(0.016, qubit.t1, qubit.t2Echo)) / found.error);
    }
    expectHonestErrors(deviations);
  });

  test('loses (2/3) sin²(θδ/2) by a wrong amplitude, the same by a detuning, and some fidelity by a wrong beta', async () => {
    const perfect = perfectInputs('formula');
    const lossOf = async (changes: Partial<Inputs>) => {
      const { analysis } = await benchmark('RandomizedBenchmarking', 'formula', changes);
      return 1 - (analysis.outputs.average_gate_fidelity?.value ?? 0);
    };
    const least = await lossOf({});
    const strong = await lossOf({ drag_hpi_amplitude: 1.06 * perfect.drag_hpi_amplitude });
    expect(strong - least).toBeCloseTo((2 / 3) * Math.sin((Math.PI / 4) * 0.06) ** 2, 4);
    const detuned = await lossOf({ qubit_frequency: perfect.qubit_frequency + 0.001 });
    const phase = 2 * Math.PI * 0.001 * 16;
    const expected = (2 / 3) * Math.sin(phase / 2) ** 2;
    expect((detuned - least) / expected).toBeGreaterThan(0.6);
    expect((detuned - least) / expected).toBeLessThan(1.1);
    expect(await lossOf({ drag_hpi_beta: 0 })).toBeGreaterThan(least + 1e-4);
    expect(await lossOf({ drag_hpi_beta: 3 * perfect.drag_hpi_beta })).toBeGreaterThan(least + 1e-4);
  });

  test('reports the rate of the interleaved gate, not that of the Cliffords', async () => {
    const perfect = perfectInputs('own');
    const { analysis, qubit, inputs } = await benchmark('X180InterleavedRandomizedBenchmarking', 'own', {
      drag_pi_amplitude: 1.03 * perfect.drag_pi_amplitude,
    });
    const found = analysis.outputs.x180_depolarizing_rate ?? expect.fail('no rate');
    const own = 2 * trueError('X180InterleavedRandomizedBenchmarking', qubit, inputs);
    const reference = 2 * trueError('RandomizedBenchmarking', qubit, inputs);
    expect(Math.abs(found.value - own)).toBeLessThan(4 * found.error);
    expect(Math.abs(found.value - reference)).toBeGreaterThan(10 * found.error);
  });

  test('stops when the state has decayed, with null for unmeasured lengths', async () => {
    const perfect = perfectInputs('stop');
    const { measured, analysis } = await benchmark('X180InterleavedRandomizedBenchmarking', 'stop', {
      drag_pi_amplitude: 1.1 * perfect.drag_pi_amplitude,
    });
    const { dims, variables } = measured.dataset;
    expect(dims.clifford_count).toBe(13);
    expect(variables.iq_re?.values).not.toContain(null);
    expect(variables.interleaved_re?.values.at(-1)).toBeNull();
    expect(gate(measured.task, analysis)).toBeNull();
  });

  test('refuses a dataset without prepared states or without sequences', async () => {
    const { measured } = await benchmark('RandomizedBenchmarking', 'rb');
    const { dims, coordinates, variables } = measured.dataset;
    const { reference_re: _, ...unscaled } = variables;
    const { iq_re: __, ...empty } = variables;
    const refusedOf = (changed: typeof variables) =>
      analyse({ ...measured, dataset: { dims, coordinates, variables: changed } }).refused;
    expect(refusedOf(unscaled)).toMatch(/has no reference_re and reference_im/);
    expect(refusedOf(empty)).toMatch(/has no iq_re and iq_im/);
  });
});

describe('the fit of A p^m + C', () => {
  const counts = [0, ...Array.from({ length: 12 }, (_, power) => 2 ** power)];

  test('finds any decay, with a known asymptote or one that the data reach', () => {
    fc.assert(
      fc.property(
        fc.double({ min: -9, max: -1.5, noNaN: true }),
        fc.double({ min: 0.2, max: 0.5, noNaN: true }),
        fc.integer(),
        (logarithm, amplitude, seed) => {
          const rate = Math.exp(logarithm);
          const random = randomFrom('power', seed);
          const y = counts.map(
            (count) => amplitude * Math.exp(-rate * count) + 0.5 + 0.003 * random.normal(),
          );
          const sigma = counts.map(() => 0.003);
          const known = { value: 0.5 + 0.003 * random.normal(), error: 0.003 };
          const fit = fitPowerDecays([{ m: counts, y, sigma }], known).each[0]?.fit;
          if (!fit?.ok) return expect.fail(fit?.message);
          expect(Math.abs((fit.parameters[1] ?? 0) - rate)).toBeLessThan(7 * (fit.errors[1] ?? 0));
        },
      ),
      { seed: 2, numRuns: 200 },
    );
  });

  test('has larger errors if points scatter more than their deviations, and finite ones without noise', () => {
    const known = { value: 0.5, error: 0.003 };
    const fitOf = (scatter: number, sigma: number) => {
      const y = counts.map(
        (count, index) => 0.4 * Math.exp(-0.01 * count) + 0.5 + (index % 2 === 0 ? scatter : -scatter),
      );
      const fit = fitPowerDecays([{ m: counts, y, sigma: counts.map(() => sigma) }], known).each[0]?.fit;
      return fit?.ok ? fit : expect.fail(fit?.message);
    };
    const errorOf = (scatter: number) => fitOf(scatter, 0.003).errors[1] ?? Number.NaN;
    expect(errorOf(0.001) / errorOf(0.0005)).toBeCloseTo(1, 1);
    expect(errorOf(0.012) / errorOf(0.001)).toBeGreaterThan(2);
    for (const sigma of [0, 0.003]) {
      const { parameters, errors } = fitOf(0, sigma);
      expect(parameters[1]).toBeCloseTo(0.01, 4);
      expect(errors.every(Number.isFinite)).toBe(true);
    }
  });

  test('is refused for too few lengths and for a constant', () => {
    const known = { value: 0.5, error: 0.01 };
    const isFitted = (m: number[], y: number[], sigma: number[]) =>
      fitPowerDecays([{ m, y, sigma }], known).each[0]?.fit.ok;
    expect(isFitted([0, 1], [1, 0.9], [0.1, 0.1])).toBe(false);
    const flat = counts.map(() => 0.5);
    expect(isFitted(counts, flat, flat)).toBe(false);
  });
});

test('a random Clifford costs one pi/2 pulse on average', () => {
  expect((1 - cliffordDecay(1e-4)) / 2).toBeCloseTo(1e-4, 7);
  expect(cliffordDecay(0)).toBe(1);
});
