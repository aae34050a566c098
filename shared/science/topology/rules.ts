import { QUBITS_PER_MUX } from '../conventions/multiplexer.ts';
import type { Topology } from './model.ts';

interface GridPosition {
  row: number;
  col: number;
}

type Coupling = Topology['couplings'][number];

/** Maximum number of qubits of a generated chip. */
const MAX_CHIP_SIZE = 4096;

/** The multiplexer that reads out a qubit. */
export function muxOf(qubit: number): number {
  return Math.floor(qubit / QUBITS_PER_MUX);
}

/**
 * Position of a qubit on a square lattice of `side` × `side`. Multiplexers are blocks of 2 × 2, numbered row by row,
 * and so are the qubits in each (top left, top right, bottom left, bottom right).
 */
export function squarePosition(qubit: number, side: number): GridPosition {
  const muxesInRow = side / 2;
  const mux = muxOf(qubit);
  const local = qubit % QUBITS_PER_MUX;
  return {
    row: 2 * Math.floor(mux / muxesInRow) + Math.floor(local / 2),
    col: 2 * (mux % muxesInRow) + (local % 2),
  };
}

/** Inverse of {@link squarePosition}. */
export function squareQubit({ row, col }: GridPosition, side: number): number {
  const mux = Math.floor(row / 2) * (side / 2) + Math.floor(col / 2);
  return QUBITS_PER_MUX * mux + 2 * (row % 2) + (col % 2);
}

/** Checkerboard convention: the qubit on an even field (row + col) controls its neighbours. */
export function isControl({ row, col }: GridPosition): boolean {
  return (row + col) % 2 === 0;
}

/** The default topology of a chip of this many qubits. */
export function defaultTopologyId(size: number): string {
  return `square-lattice-mux-${size}`;
}

/** Topologies that have a file in `config/topologies`. */
export const SHIPPED_TOPOLOGIES = [
  ...[16, 64, 144, 256, 1024].map(defaultTopologyId),
  'linear-16',
  'heavy-hex-27',
] as const;

/** Generates a topology from its name: any square lattice, or another shipped topology; null for other names. */
export function generatedTopology(id: string): Topology | null {
  const square = /^square-lattice-mux-([1-9]\d{0,3})$/.exec(id)?.[1];
  if (square) return squareLattice(Number(square));
  if (id === 'linear-16') return linear(16);
  if (id === 'heavy-hex-27') return heavyHex27();
  return null;
}

/** Numbers of qubits of square chips: 4 k² for every k ≥ 1. */
function squareLattice(size: number): Topology | null {
  const side = Math.sqrt(size);
  if (!Number.isInteger(side) || side % 2 !== 0 || size > MAX_CHIP_SIZE) return null;
  const qubits: Topology['qubits'] = {};
  const couplings: Coupling[] = [];
  for (let qubit = 0; qubit < size; qubit += 1) {
    const place = squarePosition(qubit, side);
    qubits[qubit] = place;
    const right = { row: place.row, col: place.col + 1 };
    const below = { row: place.row + 1, col: place.col };
    for (const neighbour of [right, below]) {
      if (neighbour.row >= side || neighbour.col >= side) continue;
      const other = squareQubit(neighbour, side);
      couplings.push(isControl(place) ? [qubit, other] : [other, qubit]);
    }
  }
  return {
    id: defaultTopologyId(size),
    name: `Square lattice with multiplexers, ${size} qubits`,
    description: `${side} × ${side} qubits, read out four at a time in blocks of 2 × 2.`,
    grid_size: side,
    num_qubits: size,
    layout_type: 'grid',
    direction_convention: 'checkerboard_cr',
    mux: { enabled: true, size: 2 },
    qubits,
    couplings,
    visualization: { show_mux_boundaries: true, region_size: 4 },
  };
}

function linear(size: number): Topology {
  const ids = Array.from({ length: size }, (_, qubit) => qubit);
  return {
    id: `linear-${size}`,
    name: `Line of ${size} qubits`,
    description: 'One row; every qubit is coupled to the next.',
    grid_size: size,
    num_qubits: size,
    layout_type: 'grid',
    direction_convention: 'unspecified',
    mux: { enabled: false, size: 2 },
    qubits: Object.fromEntries(ids.map((qubit) => [qubit, { row: 0, col: qubit }])),
    couplings: ids.slice(1).map((qubit): Coupling => [qubit - 1, qubit]),
    visualization: { show_mux_boundaries: false, region_size: size },
  };
}

/** Rows of the 27-qubit heavy hexagon: chains of five, and the bridges between them. */
const heavyHexRows: { row: number; col: number; qubit: number }[] = [
  ...chain(0, 0),
  ...bridges(1, 5),
  ...chain(2, 7),
  ...bridges(3, 12),
  ...chain(4, 14),
  ...bridges(5, 19),
  ...chain(6, 21),
  { row: 7, col: 2, qubit: 26 },
];

const heavyHexCouplings = [
  '0-1 1-2 2-3 3-4 1-5 3-6 5-8 6-10 7-8 8-9 9-10 10-11 8-12 10-13 12-15 13-17',
  '14-15 15-16 16-17 17-18 15-19 17-20 19-22 20-24 21-22 22-23 23-24 24-25 23-26',
].join(' ');

function chain(row: number, first: number) {
  return [0, 1, 2, 3, 4].map((col) => ({ row, col, qubit: first + col }));
}

function bridges(row: number, first: number) {
  return [
    { row, col: 1, qubit: first },
    { row, col: 3, qubit: first + 1 },
  ];
}

function heavyHex27(): Topology {
  return {
    id: 'heavy-hex-27',
    name: 'Heavy hexagon of 27 qubits',
    description: 'Chains of five qubits joined by bridges.',
    grid_size: 8,
    num_qubits: 27,
    layout_type: 'hex',
    direction_convention: 'unspecified',
    mux: { enabled: false, size: 2 },
    qubits: Object.fromEntries(heavyHexRows.map(({ qubit, row, col }) => [qubit, { row, col }])),
    couplings: heavyHexCouplings.split(' ').map((pair): Coupling => {
      const [control = '', target = ''] = pair.split('-');
      return [Number(control), Number(target)];
    }),
    visualization: { show_mux_boundaries: false, region_size: 4 },
  };
}
