import type { Ordering } from './model.ts';

/** Order of the four places of a multiplexer: top left, top right, bottom left, bottom right. */
type Places = readonly number[];

const rising: Places = [0, 1, 2, 3];

/**
 * Which place of a multiplexer comes first, second and so on. Step k of a synchronized schedule drives the
 * k-th place of every multiplexer, so the order decides how far apart the qubits of a step lie (measured in
 * edges on the square lattice, 64 qubits: never less than 2).
 * - `natural`: 0, 1, 2, 3 everywhere. 24 pairs of a step at distance 2.
 * - `checkerboard`: 2, 3, 0, 1 in multiplexers of odd id, which are every second column. 12 pairs.
 * - `parity`: 3, 2, 1, 0 in every second multiplexer of a true checkerboard. 12 pairs, and all qubits of a
 *   step lie on fields of one parity, that is in one frequency class of the design; an idle neighbour is
 *   then always in the other one.
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
