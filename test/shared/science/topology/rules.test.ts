import { describe, expect, test } from 'vitest';
import { topology } from '../../../../shared/science/topology/model.ts';
import {
  generatedTopology,
  isControl,
  muxOf,
  squarePosition,
  squareQubit,
} from '../../../../shared/science/topology/rules.ts';

function mustFind(id: string) {
  const found = generatedTopology(id);
  if (!found) throw new Error(`no topology ${id}`);
  return found;
}

describe('square lattices', () => {
  test.each([
    [4, 2, 4],
    [16, 4, 24],
    [36, 6, 60],
    [64, 8, 112],
    [144, 12, 264],
    [256, 16, 480],
    [1024, 32, 1984],
  ])('of %i qubits are %i wide and have %i edges', (size, side, edges) => {
    const found = mustFind(`square-lattice-mux-${size}`);
    expect(topology.parse(found)).toEqual(found);
    expect(found).toMatchObject({
      grid_size: side,
      num_qubits: size,
      layout_type: 'grid',
      direction_convention: 'checkerboard_cr',
      mux: { enabled: true, size: 2 },
      visualization: { show_mux_boundaries: true, region_size: 4 },
    });
    expect(Object.keys(found.qubits)).toHaveLength(size);
    expect(found.couplings).toHaveLength(edges);
    expect(edges).toBe(2 * side * (side - 1));
  });

  test('place the qubits of a multiplexer in a block of two by two', () => {
    const { qubits } = mustFind('square-lattice-mux-16');
    const places = Object.values(qubits).map(({ row, col }) => `${row},${col}`);
    expect(places).toEqual([
      ...['0,0', '0,1', '1,0', '1,1'],
      ...['0,2', '0,3', '1,2', '1,3'],
      ...['2,0', '2,1', '3,0', '3,1'],
      ...['2,2', '2,3', '3,2', '3,3'],
    ]);
  });

  test('name edges by ascending qubit, right before below, control first', () => {
    const { couplings } = mustFind('square-lattice-mux-16');
    expect(couplings.slice(0, 8)).toEqual([
      [0, 1],
      [0, 2],
      [4, 1],
      [3, 1],
      [3, 2],
      [8, 2],
      [3, 6],
      [3, 9],
    ]);
  });

  test('have every control on an even field and its target next to it', () => {
    for (const size of [16, 64, 144, 256, 1024]) {
      const { couplings, grid_size: side } = mustFind(`square-lattice-mux-${size}`);
      expect(new Set(couplings.map((pair) => [...pair].sort().join('-'))).size).toBe(couplings.length);
      for (const [control, target] of couplings) {
        const from = squarePosition(control, side);
        const to = squarePosition(target, side);
        expect(isControl(from)).toBe(true);
        expect(isControl(to)).toBe(false);
        expect(Math.abs(from.row - to.row) + Math.abs(from.col - to.col)).toBe(1);
      }
    }
  });

  test('know the qubit at every position', () => {
    for (const side of [2, 4, 8, 32]) {
      for (let qubit = 0; qubit < side * side; qubit += 1) {
        expect(squareQubit(squarePosition(qubit, side), side)).toBe(qubit);
      }
    }
  });

  test('exist only for four times a square, up to 4,096 qubits', () => {
    for (const size of ['0', '1', '8', '9', '10', '25', '32', '9999', '016', '16.0', '-16', '10000', '']) {
      expect(generatedTopology(`square-lattice-mux-${size}`)).toBeNull();
    }
    expect(mustFind('square-lattice-mux-4096').couplings).toHaveLength(8064);
  });
});

test('the line couples every qubit to the next', () => {
  const line = mustFind('linear-16');
  expect(topology.parse(line)).toEqual(line);
  expect(line.couplings).toHaveLength(15);
  expect(line.couplings.at(0)).toEqual([0, 1]);
  expect(line.couplings.at(-1)).toEqual([14, 15]);
  expect(line.qubits['9']).toEqual({ row: 0, col: 9 });
  expect(line).toMatchObject({ grid_size: 16, layout_type: 'grid', direction_convention: 'unspecified' });
});

test('the heavy hexagon has 27 qubits and 29 edges of the known degrees', () => {
  const heavy = mustFind('heavy-hex-27');
  expect(topology.parse(heavy)).toEqual(heavy);
  expect(heavy).toMatchObject({ grid_size: 8, num_qubits: 27, layout_type: 'hex' });
  expect(Object.keys(heavy.qubits)).toHaveLength(27);
  expect(heavy.couplings).toHaveLength(29);
  expect(heavy.qubits['26']).toEqual({ row: 7, col: 2 });
  expect(heavy.qubits['13']).toEqual({ row: 3, col: 3 });
  const degrees = Array.from(
    { length: 27 },
    (_, id) => heavy.couplings.filter((pair) => pair.includes(id)).length,
  );
  const counted = [1, 2, 3, 4].map((degree) => degrees.filter((each) => each === degree).length);
  expect(counted).toEqual([9, 9, 5, 4]);
});

test('unknown topologies are distinguished from known ones', () => {
  for (const id of ['', 'linear-17', 'heavy-hex-28', 'square-lattice-mux-16 ', '__proto__']) {
    expect(generatedTopology(id)).toBeNull();
  }
});

test('a multiplexer reads out four consecutive qubits', () => {
  expect([0, 3, 4, 7, 63].map(muxOf)).toEqual([0, 0, 1, 1, 15]);
});
