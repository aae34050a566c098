import { qubitsPerMux } from '../topology/rules.ts';

/**
 * An order of the places of a multiplexer written as text, `3,0,2,1`; undefined for a text that does not name each of 0
 * to 3 once.
 */
export function placeOrder(text: string): readonly number[] | undefined {
  const places = text.split(',').map((place) => (place.trim() === '' ? Number.NaN : Number(place)));
  const isComplete = [...places].sort((a, b) => a - b).every((place, index) => place === index);
  return places.length === qubitsPerMux && isComplete ? places : undefined;
}
