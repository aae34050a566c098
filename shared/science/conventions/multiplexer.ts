/** Number of qubits with consecutive ids that a multiplexer (MUX) reads out. */
export const QUBITS_PER_MUX = 4;

/** Positions in a multiplexer in order of rising resonator frequency, for each chip design by name. */
export const RESONATOR_ORDERS = {
  default: [3, 0, 2, 1],
  '16q': [0, 3, 1, 2],
} as const satisfies Readonly<Record<string, readonly number[]>>;

/**
 * Parses an order of the positions of a multiplexer, such as `3,0,2,1`; undefined if the text does not contain each of
 * 0 to 3 once.
 */
export function placeOrder(text: string): readonly number[] | undefined {
  const places = text.split(',').map((place) => (place.trim() === '' ? Number.NaN : Number(place)));
  const isComplete = [...places].sort((a, b) => a - b).every((place, index) => place === index);
  return places.length === QUBITS_PER_MUX && isComplete ? places : undefined;
}
