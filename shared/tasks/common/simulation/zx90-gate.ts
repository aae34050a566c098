import { zx90GateTime, zx90PulseLength } from '../../../science/conventions/cross-resonance.ts';
import { controlMixing, echoedRotation } from '../../../science/device/cross-resonance.ts';
import type { TrueQubit } from '../../../science/device/device.ts';
import { type DragPulse, dragRotation } from '../../../science/device/drag-pulses.ts';
import { dragGateError } from '../../../science/device/gate-errors.ts';
import { pairCoherenceInfidelity } from '../../../science/quantum/gate-coherence.ts';
import {
  composeRotations,
  type Rotation,
  rotationAbout,
  rotationInfidelity,
} from '../../../science/quantum/rotations.ts';
import { loadedPulse } from './drag-experiment.ts';
import type { PairExperiment } from './model.ts';
import { loadedDrive } from './pair-experiment.ts';
import { requireNumber } from './parameters.ts';

/** A ZX90 gate as the task plays it. */
export interface PlayedZx90 {
  /** Rotations of the target for the control in its ground and in its excited state. */
  rotations: readonly [Rotation, Rotation];
  /** Average infidelity from everything but the target's rotation: decoherence, echo pulses, mixing. */
  incoherentError: number;
  /** Average infidelity of the gate. */
  error: number;
}

const AXIS = { x: 1, y: 0, z: 0 };
const MEANT = [rotationAbout(AXIS, Math.PI / 2), rotationAbout(AXIS, -Math.PI / 2)] as const;

/** Converts the average infidelity of one qubit to that of a pair: (4/5) (3/2) of it. */
const OF_ONE_QUBIT = 1.2;

function overlap(a: Rotation, b: Rotation): number {
  return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
}

/** Average infidelity of a pair whose target rotates differently than intended: 1 − (4 F + 1) / 5 with the process fidelity F. */
function targetError(rotations: readonly [Rotation, Rotation]): number {
  // The phase between both is a z rotation of the control, which can be compensated at no cost.
  const kept = rotations.map((rotation, state) => Math.abs(overlap(rotation, MEANT[state === 0 ? 0 : 1])));
  return (4 / 5) * (1 - (((kept[0] ?? 0) + (kept[1] ?? 0)) / 2) ** 2);
}

/** Coherent error of the two pi pulses of the echo, each made of two pi/2 pulses. */
function echoError(control: TrueQubit, pulse: DragPulse): number {
  const quarter = dragRotation(control, pulse);
  return 2 * rotationInfidelity(rotationAbout(AXIS, Math.PI), composeRotations(quarter, quarter));
}

/** The calibrated gate with the parameters that a task loaded, accurate or not. */
export function playedZx90(experiment: PairExperiment): PlayedZx90 {
  const { pair, inputs, control } = experiment;
  const drive = loadedDrive(experiment);
  const lengthNs = zx90PulseLength(requireNumber(inputs, 'zx_rotation_rate'));
  const pulse = loadedPulse(control, 'drag_hpi');
  const rotations = [
    echoedRotation(pair, drive, lengthNs, 0),
    echoedRotation(pair, drive, lengthNs, 1),
  ] as const;
  const gateTimeUs = zx90GateTime(lengthNs, pulse.lengthNs) / 1000;
  const incoherentError =
    pairCoherenceInfidelity(gateTimeUs, timesOf(pair.control), timesOf(pair.target)) +
    OF_ONE_QUBIT * echoError(pair.control, pulse) +
    (4 / 5) * controlMixing(pair, drive.amplitude);
  return { rotations, incoherentError, error: incoherentError + targetError(rotations) };
}

/** Average infidelity of the pair caused by a pi/2 pulse on one of its qubits. */
export function pairErrorOfHpi(experiment: PairExperiment, side: 'control' | 'target'): number {
  const { qubit } = experiment[side];
  return OF_ONE_QUBIT * dragGateError(qubit, loadedPulse(experiment[side], 'drag_hpi'), Math.PI / 2);
}

/** Factor by which depolarisation with this average infidelity reduces each correlation of a pair: 1 − (4/3) ε. */
export function polarisationKept(error: number): number {
  return Math.max(0, 1 - (4 / 3) * error);
}

/** Fraction of the target's polarisation that remains after a gate, including the effect of the control. */
export function keptByGate({ pair }: PairExperiment, gateTimeNs: number, amplitude: number): number {
  const decay = (1 / pair.target.t1 + 1 / pair.target.t2Echo) / 2000;
  return Math.exp(-decay * gateTimeNs) * (1 - controlMixing(pair, amplitude));
}

function timesOf({ t1, t2Echo }: TrueQubit) {
  return { t1, t2: t2Echo };
}
