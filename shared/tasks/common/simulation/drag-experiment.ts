import type { DragPulseName } from '../../../science/conventions/drag.ts';
import { type BlochVector, equilibrium, excitedPopulation, wait } from '../../../science/device/bloch.ts';
import type { TrueQubit } from '../../../science/device/device.ts';
import { type DragPulse, dragRotation } from '../../../science/device/drag-pulses.ts';
import { type Rotation, rotateVector } from '../../../science/quantum/rotations.ts';
import type { Experiment } from './model.ts';
import { requireNumber } from './parameters.ts';

/** The DRAG pulse with the parameters that a task loaded, accurate or not. */
export function loadedPulse({ inputs }: Experiment, name: DragPulseName): DragPulse {
  const lengthNs = requireNumber(inputs, `${name}_length`);
  if (!(lengthNs > 0)) throw new Error(`The simulator needs a ${name}_length above 0 ns.`);
  return {
    amplitude: requireNumber(inputs, `${name}_amplitude`),
    lengthNs,
    beta: requireNumber(inputs, `${name}_beta`),
    frequency: requireNumber(inputs, 'qubit_frequency'),
  };
}

/** A pulse with its rotation, which is computed once and reused. */
export interface PlayedPulse {
  rotation: Rotation;
  lengthNs: number;
}

export function played(qubit: TrueQubit, pulse: DragPulse): PlayedPulse {
  return { rotation: dragRotation(qubit, pulse), lengthNs: pulse.lengthNs };
}

/** Plays a pulse: relaxation is split around the rotation, which is exact to second order in length / T. */
export function play(qubit: TrueQubit, state: BlochVector, { rotation, lengthNs }: PlayedPulse): BlochVector {
  const before = wait(qubit, state, { durationNs: lengthNs / 2, detuning: 0 });
  return wait(qubit, rotateVector(rotation, before), { durationNs: lengthNs / 2, detuning: 0 });
}

/** Population after consecutive pulses without a pause, starting from thermal equilibrium. */
export function populationAfterPulses(qubit: TrueQubit, pulses: readonly PlayedPulse[]): number {
  return excitedPopulation(pulses.reduce((state, pulse) => play(qubit, state, pulse), equilibrium(qubit)));
}

/** Probabilities that pulses take a qubit from its ground to its excited state, and back. */
export function flipProbabilities(
  qubit: TrueQubit,
  pulses: readonly PlayedPulse[],
): Record<'up' | 'down', number> {
  const flippedFrom = (z: 1 | -1) => {
    const end = pulses.reduce<BlochVector>((state, pulse) => play(qubit, state, pulse), { x: 0, y: 0, z });
    return (1 - z * end.z) / 2;
  };
  return { up: flippedFrom(1), down: flippedFrom(-1) };
}
