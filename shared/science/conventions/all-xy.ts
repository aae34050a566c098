/** One pulse of a pair: none, or a rotation about x or y by half a turn (capital letter) or a quarter turn. */
export type AllXyPulse = 'I' | 'X' | 'Y' | 'x' | 'y';

/**
 * The 21 pairs of AllXY, in the order in which a perfect qubit goes from the ground state by way of the middle to the
 * excited state (M. D. Reed, Entanglement and quantum error correction with superconducting qubits, Yale 2013).
 */
export const ALL_XY_PAIRS: readonly (readonly [AllXyPulse, AllXyPulse])[] = [
  ['I', 'I'],
  ['X', 'X'],
  ['Y', 'Y'],
  ['X', 'Y'],
  ['Y', 'X'],
  ['x', 'I'],
  ['y', 'I'],
  ['x', 'y'],
  ['y', 'x'],
  ['x', 'Y'],
  ['y', 'X'],
  ['X', 'y'],
  ['Y', 'x'],
  ['x', 'X'],
  ['X', 'x'],
  ['y', 'Y'],
  ['Y', 'y'],
  ['X', 'I'],
  ['Y', 'I'],
  ['x', 'x'],
  ['y', 'y'],
];
