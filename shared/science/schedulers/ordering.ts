import type { Ordering } from './model.ts';

/** Order of the four places of a multiplexer: top left, top right, bottom left, bottom right. */
type Places = readonly number[];

const rising: Places = [0, 1, 2, 3];

/**
 * The order of the positions of a multiplexer. Step k of a synchronized schedule drives the k-th position of every
 * multiplexer, so the order decides the distance between the qubits of a step (in edges of the square lattice of 64
 * qubits: at least 2).
 * - `natural`: 0, 1, 2, 3 everywhere. 24 pairs of a step at distance 2.
 * - `checkerboard`: 2, 3, 0, 1 in multiplexers of odd id, which are every second column. 12 pairs.
 * - `parity`: 3, 2, 1, 0 in every second multiplexer of a true checkerboard. 12 pairs. All qubits of a step are on
 *   fields of the same parity, so they share a frequency class of the design, and their idle neighbours are in the
 *   other class.
 * @param gridSize qubits in a row of the chip
 */
export function placesOf(ordering: Ordering, mux: string, gridSize: number): Places {
  const id = Number(mux);
  const inRow = gridSize / 2;
  switch (ordering) {
    case 'natural':
      return rising;
    case 'checkerboard':
      return id % 2 === 0 ? rising : [2, 3, 0, 1];
    case 'parity':
      return (Math.floor(id / inRow) + (id % inRow)) % 2 === 0 ? rising : [3, 2, 1, 0];
  }
}
