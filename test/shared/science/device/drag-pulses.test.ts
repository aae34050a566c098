import { describe, expect, test } from 'vitest';
import { trueQubit } from '../../../../shared/science/device/device.ts';
import {
  type DragPulse,
  dragAmplitude,
  dragLeakage,
  dragRotation,
  idealBeta,
} from '../../../../shared/science/device/drag-pulses.ts';
import { dragGateError } from '../../../../shared/science/device/gate-errors.ts';
import { randomFrom } from '../../../../shared/science/device/random.ts';
import { coherenceInfidelity } from '../../../../shared/science/quantum/gate-coherence.ts';
import {
  inSequence,
  polarisationAfter,
  rotateVector,
  rotationAbout,
  rotationInfidelity,
} from '../../../../shared/science/quantum/rotations.ts';
import { at } from '../../../support/measured.ts';

const pulses = [
  { name: 'drag_hpi', angle: Math.PI / 2, lengthNs: 16 },
  { name: 'drag_pi', angle: Math.PI, lengthNs: 24 },
] as const;
const qubits = Array.from({ length: 64 }, (_, index) => trueQubit('drag', String(index), at));
const first = trueQubit('drag', '0', at);

function perfect(qubit: typeof first, angle: number, lengthNs: number): DragPulse {
  return {
    amplitude: dragAmplitude(qubit, angle, lengthNs),
    lengthNs,
    beta: idealBeta(qubit),
    frequency: qubit.f01,
  };
}

describe.each(pulses)('the $name pulse', ({ angle, lengthNs }) => {
  const meant = rotationAbout({ x: 1, y: 0, z: 0 }, angle);

  test('is limited by coherence if amplitude, beta and frequency are correct', () => {
    for (const qubit of qubits) {
      const error = dragGateError(qubit, perfect(qubit, angle, lengthNs), angle);
      const limit = coherenceInfidelity(lengthNs / 1000, qubit.t1, qubit.t2Echo);
      expect(error).toBeGreaterThanOrEqual(limit);
      expect(error - limit).toBeLessThan(0.06 * limit);
    }
  });

  test('rotates too far with a wrong amplitude, with the infidelity (2/3) sin²(θδ/2)', () => {
    for (const delta of [-0.1, -0.02, 0.02, 0.1]) {
      const pulse = perfect(first, angle, lengthNs);
      const real = dragRotation(first, { ...pulse, amplitude: (1 + delta) * pulse.amplitude });
      const expected = (2 / 3) * Math.sin((angle * delta) / 2) ** 2;
      expect(rotationInfidelity(meant, real) / expected).toBeCloseTo(1, 0);
    }
  });

  test('leaks four times less with the ideal beta than without DRAG', () => {
    for (const qubit of qubits) {
      const pulse = perfect(qubit, angle, lengthNs);
      const without = dragLeakage(qubit, { ...pulse, beta: 0 });
      expect(dragLeakage(qubit, pulse) / without).toBeCloseTo(0.25, 6);
      expect(dragLeakage(qubit, { ...pulse, beta: 2 * pulse.beta })).toBeLessThan(1e-15);
      expect(without).toBeLessThan(1e-3);
    }
  });

  test('compensates a detuning by beta, as a real pulse does', () => {
    const pulse = { ...perfect(first, angle, lengthNs), frequency: first.f01 + 0.001 };
    const errors = [-0.3, -0.2, -0.1, 0, 0.1].map((offset) =>
      dragGateError(first, { ...pulse, beta: pulse.beta + offset }, angle),
    );
    const least = Math.min(...errors);
    expect(errors.indexOf(least)).toBeLessThan(3);
  });
});

describe('rotations', () => {
  test('are composed like their matrices', () => {
    const quarter = rotationAbout({ x: Math.PI / 2, y: 0, z: 0 }, 1);
    expect(polarisationAfter(inSequence([quarter]))).toBeCloseTo(0, 12);
    expect(polarisationAfter(inSequence([quarter, quarter]))).toBeCloseTo(-1, 12);
    const turned = rotateVector(quarter, { x: 0, y: 1, z: 0 });
    expect(turned.z).toBeCloseTo(1, 12);
    const random = randomFrom('rotations');
    for (let index = 0; index < 50; index++) {
      const any = () =>
        rotationAbout({ x: random.normal(), y: random.normal(), z: random.normal() }, random.uniform());
      const [a, b] = [any(), any()];
      const vector = { x: random.normal(), y: random.normal(), z: random.normal() };
      const together = rotateVector(inSequence([a, b]), vector);
      const apart = rotateVector(b, rotateVector(a, vector));
      for (const axis of ['x', 'y', 'z'] as const) expect(together[axis]).toBeCloseTo(apart[axis], 12);
    }
  });
});
