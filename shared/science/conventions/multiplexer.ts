/** A multiplexer (MUX) reads out this many qubits of consecutive ids. */
export const QUBITS_PER_MUX = 4;

/** Places on a multiplexer by rising resonator frequency, by the name of the chip's design. */
export const RESONATOR_ORDERS = {
  default: [3, 0, 2, 1],
  '16q': [0, 3, 1, 2],
} as const satisfies Readonly<Record<string, readonly number[]>>;

/**
 * An order of the places of a multiplexer written as text, `3,0,2,1`; undefined for a text that does not name each of 0
 * to 3 once.
 */
export function placeOrder(text: string): readonly number[] | undefined {
  const places = text.split(',').map((place) => (place.trim() === '' ? Number.NaN : Number(place)));
  const isComplete = [...places].sort((a, b) => a - b).every((place, index) => place === index);
  return places.length === QUBITS_PER_MUX && isComplete ? places : undefined;
}
