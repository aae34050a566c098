import { zx90Plan, zx90Rate } from '../../../shared/science/conventions/cross-resonance.ts';
import { QUBITS_PER_MUX } from '../../../shared/science/conventions/multiplexer.ts';
import { type TrueQubit, trueQubit } from '../../../shared/science/device/device.ts';
import { CR_GAIN, type TruePair, truePair } from '../../../shared/science/device/pair-device.ts';
import { type Random, randomFrom } from '../../../shared/science/device/random.ts';
import { wrapped } from '../../../shared/science/fitting/phases.ts';
import { pairExperiment } from '../../../shared/tasks/common/simulation/pair-experiment.ts';
import { runWithinLimits } from '../../../shared/tasks/limited-values.ts';
import { resolveRunParameters } from '../../../shared/tasks/run-parameters.ts';
import { pairSimulation } from '../../../shared/tasks/simulations.ts';
import { AT, type Measurement, QUBITS, runOf, withShots } from './measurement.ts';
import type { MeasureOnce, PairKind, StoredValues } from './model.ts';
import { inputsOf, storedOf, taskOf, withFineFrequency } from './stored-values.ts';
import { fluxPhases, perfectFluxPulse } from './truths/flux.ts';
import { perfectGate, perfectTones } from './truths/pair.ts';

/** Positions of neighbours within a multiplexer, the control first, which is in the lower band. */
const NEIGHBOURS = [
  [0, 1],
  [0, 2],
  [3, 1],
  [3, 2],
] as const;
/** Maximum Rabi frequency of the tomography's tone, relative to the detuning of both qubits. */
const TONE_PART = 0.75;

/** A pair of the chip, drawn at random. */
function drawPair(random: Random): { control: string; target: string } {
  const first = QUBITS_PER_MUX * Math.floor(random.between(0, QUBITS / QUBITS_PER_MUX));
  const [control, target] = NEIGHBOURS[Math.floor(random.between(0, NEIGHBOURS.length))] ?? NEIGHBOURS[0];
  return { control: String(first + control), target: String(first + target) };
}

/** Stored results of the tomography of a pair: its tones with a small error. */
function tomographed(pair: TruePair, frequency: number, random: Random): StoredValues {
  const about = (value: number, deviation: number) => value * (1 + deviation * random.normal());
  const perAmplitude = CR_GAIN * pair.control.maximumRabiFrequency;
  const amplitude = Math.min(1, (TONE_PART * Math.abs(pair.control.f01 - pair.target.f01)) / perAmplitude);
  const tones = perfectTones(pair, amplitude, frequency);
  return {
    cr_amplitude: amplitude,
    cr_phase: wrapped(tones.cr_phase + 0.005 * random.normal()),
    cancel_amplitude: about(tones.cancel_amplitude, 0.005),
    cancel_phase: wrapped(tones.cancel_phase + 0.005 * random.normal()),
    cancel_beta: 0,
    rotary_amplitude: 0,
    zx_rotation_rate: about(tones.zx_rotation_rate, 0.003),
  };
}

/**
 * The chip's declaration of a pair's flux line, and stored results of earlier tasks about its CZ pulse, with small
 * errors.
 */
function fluxPulsed(pair: TruePair, random: Random): StoredValues {
  const { amplitude, lengthNs } = perfectFluxPulse(pair);
  const pulse = {
    amplitude: amplitude * (1 + 1e-4 * random.normal()),
    lengthNs: lengthNs + 0.2 * random.normal(),
  };
  const { cz_control_phase, cz_target_phase } = fluxPhases(pair, pulse);
  return {
    flux_pulse_limit: Math.min(1, amplitude * random.between(1.1, 2)),
    cz_flux_amplitude: pulse.amplitude,
    cz_gate_time: pulse.lengthNs,
    cz_control_phase: wrapped(cz_control_phase + 0.01 * random.normal()),
    cz_target_phase: wrapped(cz_target_phase + 0.01 * random.normal()),
  };
}

/**
 * One measurement of a pair, with stored results of earlier tasks about both qubits and, if the task plays it, about
 * the gate.
 */
export function pairMeasurement(kind: PairKind, seed: string): Measurement {
  const random = randomFrom(seed, kind.name);
  const task = taskOf(kind.task);
  const ends = drawPair(random);
  const qid = `${ends.control}-${ends.target}`;
  const qubits = new Map<string, TrueQubit>();
  const stored: StoredValues = {};
  for (const role of ['control', 'target'] as const) {
    const usual = trueQubit(seed, ends[role], AT);
    const qubit = kind.device?.(usual, role, random) ?? usual;
    qubits.set(ends[role], qubit);
    const map = randomFrom(seed, kind.name, 'map', role);
    const known = withFineFrequency(storedOf(qubit, random, random, map), qubit, random);
    for (const [name, value] of Object.entries(known)) stored[`${role}_${name}`] = value;
  }
  const qubitOf = (id: string): TrueQubit => qubits.get(id) ?? trueQubit(seed, id, AT);
  const pair = truePair(seed, ends, qubitOf(ends.control), qubitOf(ends.target));
  Object.assign(stored, tomographed(pair, stored.target_qubit_frequency ?? Number.NaN, random));
  Object.assign(stored, fluxPulsed(pair, randomFrom(seed, kind.name, 'flux pulses')));
  const { parameters: run } = resolveRunParameters(task, [runOf(kind, random)]);
  const experimentOf = (of: StoredValues, settings = run, target = pair.target) =>
    pairExperiment(seed, qid, (id) => (id === ends.target ? target : qubitOf(id)), {
      inputs: inputsOf(task, of),
      run: settings,
      noise: random,
    });
  if (playsGate(kind.task) || kind.isMade) Object.assign(stored, madeGate(stored, experimentOf(stored)));
  const given = kind.changeStored?.(stored, { pair, random }) ?? stored;
  const simulation = pairSimulation(kind.task);
  if (simulation === undefined) throw new Error(`${kind.task} is of no pair.`);
  return {
    task,
    target: qid,
    run,
    inputs: inputsOf(task, given),
    measure(settings) {
      const inputs = inputsOf(task, given);
      const { run: allowed } = runWithinLimits(task, settings, inputs);
      const once: MeasureOnce = ({ qubit = pair.target, shotsPart = 1 } = {}) =>
        simulation.measure(experimentOf(given, withShots(allowed, shotsPart), qubit));
      const dataset = kind.measure?.(once, { qubit: pair.target, random }) ?? once();
      kind.spoil?.(dataset, random);
      return dataset;
    },
    truths: ({ run: settings }, found) => kind.truths(experimentOf(given, settings), found),
  };
}

/** Whether a task plays the created gate, and not the one suggested by the tomography. */
function playsGate(task: string): boolean {
  return 'zx_rotation_rate' in taskOf(task).inputs && task !== 'CreateZX90';
}

/** Stored results of the gate's creation. */
function madeGate(
  { zx_rotation_rate: rate = Number.NaN }: StoredValues,
  experiment: Parameters<typeof perfectGate>[0],
): StoredValues {
  return { ...perfectGate(experiment), zx_rotation_rate: zx90Rate(zx90Plan(rate).halfLengthNs) };
}
