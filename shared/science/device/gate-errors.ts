import { coherenceInfidelity } from '../quantum/gate-coherence.ts';
import { rotationAbout, rotationInfidelity } from '../quantum/rotations.ts';
import type { TrueQubit } from './device.ts';
import { type DragPulse, dragLeakage, dragRotation } from './drag-pulses.ts';

/**
 * Average infidelity of a gate around x by `angle` that is played as a DRAG pulse: coherence limit, the rotation that
 * lies between what was meant and what amplitude, beta and frequency make of it, and leakage.
 */
export function dragGateError(qubit: TrueQubit, pulse: DragPulse, angle: number): number {
  const meant = rotationAbout({ x: 1, y: 0, z: 0 }, angle);
  return (
    coherenceInfidelity(pulse.lengthNs / 1000, qubit.t1, qubit.t2Echo) +
    rotationInfidelity(meant, dragRotation(qubit, pulse)) +
    dragLeakage(qubit, pulse)
  );
}
