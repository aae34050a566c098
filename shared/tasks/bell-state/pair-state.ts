import { type Complex, times } from '../../science/quantum/complex.ts';
import { composeRotations, type Rotation, rotationAbout } from '../../science/quantum/rotations.ts';
import type { PlayedZx90 } from '../common/simulation/zx90-gate.ts';
import { polarisationKept } from '../common/simulation/zx90-gate.ts';

/** Axes along which a qubit can be measured; I means that it is not measured. */
export type Pauli = 'I' | 'X' | 'Y' | 'Z';
export type ReadAxis = Exclude<Pauli, 'I'>;

/** Expectation value of each pair of axes, control first: `XY`. */
export type Correlations = (control: Pauli, target: Pauli) => number;

type Spinor = readonly [Complex, Complex];

/** The ground state after a rotation: (w − i z, y − i x). */
function fromGround({ w, x, y, z }: Rotation): Spinor {
  return [
    { re: w, im: -z },
    { re: y, im: -x },
  ];
}

function applied(pauli: Pauli, [up, down]: Spinor): Spinor {
  if (pauli === 'I') return [up, down];
  if (pauli === 'X') return [down, up];
  if (pauli === 'Z') return [up, { re: -down.re, im: -down.im }];
  return [
    { re: down.im, im: -down.re },
    { re: -up.im, im: up.re },
  ];
}

/** ⟨bra| pauli |ket⟩ */
function element(bra: Spinor, pauli: Pauli, ket: Spinor): Complex {
  const image = applied(pauli, ket);
  const conjugate = ({ re, im }: Complex) => ({ re, im: -im });
  const [a, b] = [times(conjugate(bra[0]), image[0]), times(conjugate(bra[1]), image[1])];
  return { re: a.re + b.re, im: a.im + b.im };
}

/**
 * Phase that converts the state (00 + i 11) of a perfect gate to the Bell state (00 + 11)/√2. On a real chip it is a
 * frame change, not a pulse.
 */
const PHASE_OF_CONTROL: Complex = { re: 0, im: -1 };
const BACK = rotationAbout({ x: 1, y: 0, z: 0 }, -Math.PI / 2);

/**
 * The state after a ZX90 gate and its corrections, from a control on the equator and a target in its ground state,
 * reduced by `otherErrors`, the average infidelity of the pulses around the gate.
 */
export function bellCorrelations(gate: PlayedZx90, otherErrors: number): Correlations {
  const [ground, excited] = gate.rotations.map((rotation) => fromGround(composeRotations(rotation, BACK)));
  const none: Spinor = [
    { re: 1, im: 0 },
    { re: 0, im: 0 },
  ];
  const a = ground ?? none;
  const [up, down] = excited ?? none;
  const b: Spinor = [times(PHASE_OF_CONTROL, up), times(PHASE_OF_CONTROL, down)];
  const kept = polarisationKept(gate.incoherentError + otherErrors);
  return (control, target) => {
    if (control === 'I' && target === 'I') return 1;
    const [aa, bb, ab] = [element(a, target, a), element(b, target, b), element(a, target, b)];
    if (control === 'I') return (kept * (aa.re + bb.re)) / 2;
    if (control === 'Z') return (kept * (aa.re - bb.re)) / 2;
    return kept * (control === 'X' ? ab.re : ab.im);
  };
}

/** Probabilities of the four outcomes if both qubits are measured along the given axes. */
export function outcomeProbabilities(state: Correlations, control: ReadAxis, target: ReadAxis): number[] {
  return [0, 1, 2, 3].map((outcome) => {
    const [s, t] = [outcome >> 1 === 0 ? 1 : -1, (outcome & 1) === 0 ? 1 : -1];
    const sum = 1 + s * state(control, 'I') + t * state('I', target) + s * t * state(control, target);
    return Math.max(0, sum / 4);
  });
}

/** Average fidelity with (00 + 11)/√2: (1 + XX − YY + ZZ) / 4. */
export function bellFidelity(state: Correlations): number {
  return (1 + state('X', 'X') - state('Y', 'Y') + state('Z', 'Z')) / 4;
}
