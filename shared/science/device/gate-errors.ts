import { coherenceInfidelity } from '../quantum/gate-coherence.ts';
import { rotationAbout, rotationInfidelity } from '../quantum/rotations.ts';
import type { TrueQubit } from './device.ts';
import { type DragPulse, dragLeakage, dragRotation } from './drag-pulses.ts';

/**
 * Average infidelity of a rotation about x by `angle` that is played as a DRAG pulse. It is the sum of the coherence
 * limit, the rotation error by wrong amplitude, beta and frequency, and leakage.
 */
export function dragGateError(qubit: TrueQubit, pulse: DragPulse, angle: number): number {
  const meant = rotationAbout({ x: 1, y: 0, z: 0 }, angle);
  return (
    coherenceInfidelity(pulse.lengthNs / 1000, qubit.t1, qubit.t2Echo) +
    rotationInfidelity(meant, dragRotation(qubit, pulse)) +
    dragLeakage(qubit, pulse)
  );
}
