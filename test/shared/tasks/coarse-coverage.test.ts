import { describe, expect, test } from 'vitest';
import { createSimulator } from '../../../activities/backends/simulator/simulator.ts';
import type { TrueQubit } from '../../../shared/science/device/device.ts';
import { drivenTransition, populationAfter } from '../../../shared/science/device/driven-transition.ts';
import { analyse } from '../../../shared/tasks/analyses.ts';
import { numberOf } from '../../../shared/tasks/common/parameters.ts';
import { gate } from '../../../shared/tasks/gates.ts';
import { expectedT1 } from '../../../shared/tasks/t1/simulation.ts';
import { at, type Measured, measure } from '../../support/measured.ts';
import { coverageSeeds, expectHonestErrors } from './coverage-rules.ts';
import { trueFidelity } from './true-fidelity.ts';

type Truth = (qubit: TrueQubit, measured: Measured) => number;
interface Case {
  task: string;
  truths: Record<string, Truth>;
  seeds?: number;
  inputs?: (start: Record<string, { value: number }>, index: number) => Record<string, number>;
}

const f01: Truth = (qubit) => qubit.f01;
const middle: Truth = (qubit) => qubit.readoutFrequency;
const controlAmplitude: Truth = (qubit) => 0.0125 / qubit.maximumRabiFrequency;
/** Of a 32 ns pulse with 12 ns of ramps. */
const pulseAmplitude =
  (turns: number): Truth =>
  (qubit) =>
    turns / (qubit.maximumRabiFrequency * 20);
/** Between −3 and 3, different for neighbouring seeds. */
const spread = (index: number) => (index % 7) - 3;
const chevron: Case['inputs'] = (start, index) => ({
  coarse_qubit_frequency: (start.qubit_frequency?.value ?? 0) + 1e-3 * spread(index),
  coarse_control_amplitude: (start.control_amplitude?.value ?? 0) * (1 + 0.1 * spread(index)),
  qubit_frequency: (start.qubit_frequency?.value ?? 0) + 1e-3 * spread(index),
  control_amplitude: (start.control_amplitude?.value ?? 0) * (1 + 0.1 * spread(index)),
});
const offReadout: Case['inputs'] = (start, index) => ({
  readout_frequency: (start.readout_frequency?.value ?? 0) + 0.7e-3 * spread(index),
});

/** Smallest amplitude that reaches 99 % of the best fidelity at any. */
const bestReadoutAmplitude: Truth = (qubit, { inputs }) => {
  const [control = 0, believed = 0, frequency = 0, lengthNs = 0] = [
    'control_amplitude',
    'qubit_frequency',
    'readout_frequency',
    'readout_length',
  ].map((name) => numberOf(inputs[name]));
  const drive = {
    rabiFrequency: qubit.maximumRabiFrequency * control,
    detuning: believed - qubit.f01,
    durationNs: 40,
  };
  const excited = populationAfter(qubit, drivenTransition(qubit, drive));
  const curve = Array.from({ length: 480 }, (_, index) => 0.01 + index * 0.0005).map((amplitude) => ({
    amplitude,
    fidelity: trueFidelity(qubit, { frequency, amplitude, lengthNs, shots: 1 }, excited),
  }));
  const best = Math.max(...curve.map(({ fidelity }) => fidelity));
  return curve.find(({ fidelity }) => fidelity >= 0.99 * best)?.amplitude ?? Number.NaN;
};

const cases: Case[] = [
  { task: 'CreateHPIPulse', truths: { hpi_amplitude: pulseAmplitude(0.25) } },
  { task: 'CreatePIPulse', truths: { pi_amplitude: pulseAmplitude(0.5) } },
  { task: 'CheckT2Echo', truths: { t2_echo: (qubit) => qubit.t2Echo } },
  {
    task: 'CheckRamsey',
    truths: {
      qubit_frequency: f01,
      t2_star: (qubit) => qubit.t2Star,
      ramsey_frequency: (qubit, { inputs }) =>
        1000 * ((numberOf(inputs.qubit_frequency) ?? 0) + 0.001 - qubit.f01),
    },
    // Drives on either side of the qubit.
    inputs: (start, index) => ({
      qubit_frequency: (start.qubit_frequency?.value ?? 0) + 0.6e-3 * spread(index),
    }),
  },
  {
    task: 'CheckChevron',
    truths: { qubit_frequency: f01, control_amplitude: controlAmplitude },
    seeds: 50,
    inputs: chevron,
  },
  {
    task: 'CheckCoarseChevron',
    truths: { qubit_frequency: f01, control_amplitude: controlAmplitude },
    seeds: 60,
    inputs: chevron,
  },
  {
    task: 'CheckFineChevron',
    truths: { qubit_frequency: f01, control_amplitude: controlAmplitude },
    seeds: 60,
    inputs: chevron,
  },
  { task: 'CheckQubitFrequency', truths: { qubit_frequency: f01 }, seeds: 60 },
  {
    task: 'CheckQubit',
    truths: {
      rabi_frequency: (qubit, { inputs }) =>
        1000 *
        Math.hypot(
          qubit.maximumRabiFrequency * (numberOf(inputs.control_amplitude) ?? 0),
          (numberOf(inputs.qubit_frequency) ?? 0) - qubit.f01,
        ),
    },
  },
  { task: 'CheckReadoutFrequency', truths: { readout_frequency: middle }, inputs: offReadout },
  { task: 'CheckOptimalReadoutFrequency', truths: { readout_frequency: middle }, inputs: offReadout },
  {
    task: 'CheckDispersiveShift',
    truths: {
      optimal_readout_frequency: middle,
      dispersive_shift: (qubit) => 500 * (qubit.resonatorExcited - qubit.resonatorGround),
    },
    seeds: 60,
    inputs: offReadout,
  },
  { task: 'CheckOptimalReadoutAmplitude', truths: { readout_amplitude: bestReadoutAmplitude }, seeds: 60 },
  // What the average estimates is the value that the runs scatter around.
  { task: 'CheckT1Average', truths: { t1_average: expectedT1 } },
  {
    task: 'CheckT2EchoAverage',
    truths: { t2_echo_average: (qubit) => Math.min(qubit.t2Echo, 2 * qubit.t1) },
  },
];

describe('the standard errors over fixed seeds at default noise', () => {
  test.each(cases)('are honest for all that $task finds', async ({ task, truths, seeds = 100, inputs }) => {
    const deviations = Object.fromEntries(Object.keys(truths).map((name): [string, number[]] => [name, []]));
    for (let index = 0; index < coverageSeeds(seeds); index++) {
      const [seed, qid] = [`coarse-${index}`, String(index % 16)];
      const simulator = createSimulator({ seed, now: () => at });
      const given = inputs?.(simulator.startValues('chip', qid, at), index);
      const measured = await measure(task, seed, { qid, inputs: given });
      const analysis = analyse(measured);
      expect(gate(measured.task, analysis)).toBeNull();
      const qubit = simulator.truthOf(measured.request, qid, at);
      for (const [name, truth] of Object.entries(truths)) {
        const { value, error } = analysis.outputs[name] ?? expect.fail(`no ${name}`);
        deviations[name]?.push((value - truth(qubit, measured)) / error);
      }
    }
    for (const values of Object.values(deviations)) expectHonestErrors(values);
  });
});
