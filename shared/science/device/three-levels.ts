import { Matrix } from 'ml-matrix';
import type { TrueQubit } from './device.ts';
import { type Populations, SECOND_DECAY } from './third-level.ts';

/** A drive tone. Its Rabi frequency is that of the transition from the ground to the first excited state. GHz, ns. */
export interface Tone {
  frequency: number;
  rabiFrequency: number;
  durationNs: number;
}

/**
 * Pairs of levels. A Hermitian 3 × 3 matrix is a list of nine numbers: three populations, then the real and imaginary
 * part for each pair.
 */
const PAIRS = [
  [0, 1],
  [1, 2],
  [0, 2],
] as const;
const NUMBERS = 3 + 2 * PAIRS.length;
type Level = 0 | 1 | 2;
const LEVELS: readonly Level[] = [0, 1, 2];

/** A 3 × 3 matrix by rows, with real and imaginary parts. */
interface Density {
  re: number[][];
  im: number[][];
}

function densityOf(numbers: readonly number[]): Density {
  const zeros = () => LEVELS.map(() => LEVELS.map(() => 0));
  const density = { re: zeros(), im: zeros() };
  const set = (part: number[][], row: Level, column: Level, value: number) => {
    const at = part[row];
    if (at !== undefined) at[column] = value;
  };
  for (const level of LEVELS) set(density.re, level, level, numbers[level] ?? 0);
  for (const [index, [low, high]] of PAIRS.entries()) {
    const [re = 0, im = 0] = numbers.slice(3 + 2 * index, 5 + 2 * index);
    set(density.re, low, high, re);
    set(density.re, high, low, re);
    set(density.im, low, high, im);
    set(density.im, high, low, -im);
  }
  return density;
}

/** Rates of change of a driven transmon with three levels, per ns, in the frame that rotates with the tone. */
function generator(qubit: TrueQubit, { frequency, rabiFrequency }: Omit<Tone, 'durationNs'>): Matrix {
  const { f01, anharmonicity, thermalPopulation, t1, t2Echo } = qubit;
  const turn = 2 * Math.PI;
  const detuning = f01 - frequency;
  const [first, second] = [(turn * rabiFrequency) / 2, (turn * Math.SQRT2 * rabiFrequency) / 2];
  const energies = [
    [0, first, 0],
    [first, turn * detuning, second],
    [0, second, turn * (2 * detuning + anharmonicity)],
  ];
  const down = (1 - thermalPopulation) / (1000 * t1);
  const up = thermalPopulation / (1000 * t1);
  const leaving = [up, down + SECOND_DECAY * up, SECOND_DECAY * down];
  const dephasing = Math.max(0, 1 / t2Echo - 1 / (2 * t1)) / 1000;
  const commutator = (part: readonly number[][], row: Level, column: Level) =>
    LEVELS.reduce<number>(
      (sum, level) =>
        sum +
        (energies[row]?.[level] ?? 0) * (part[level]?.[column] ?? 0) -
        (part[row]?.[level] ?? 0) * (energies[level]?.[column] ?? 0),
      0,
    );
  const change = (numbers: readonly number[]) => {
    const { re, im } = densityOf(numbers);
    const [p0 = 0, p1 = 0, p2 = 0] = numbers;
    const intoExcited = up * p0 + SECOND_DECAY * down * p2;
    const gained = [down * p1, intoExcited, SECOND_DECAY * up * p1];
    const populations = LEVELS.map(
      (level) =>
        commutator(im, level, level) + (gained[level] ?? 0) - (leaving[level] ?? 0) * (numbers[level] ?? 0),
    );
    const coherences = PAIRS.flatMap(([low, high]) => {
      const rate = ((leaving[low] ?? 0) + (leaving[high] ?? 0)) / 2 + dephasing * (high - low) ** 2;
      return [
        commutator(im, low, high) - rate * (re[low]?.[high] ?? 0),
        -commutator(re, low, high) - rate * (im[low]?.[high] ?? 0),
      ];
    });
    return [...populations, ...coherences];
  };
  const columns = Array.from({ length: NUMBERS }, (_, place) =>
    change(Array.from({ length: NUMBERS }, (__, index) => (index === place ? 1 : 0))),
  );
  return new Matrix(columns).transpose();
}

/** Number of terms of the series, and the norm to which a matrix is scaled down first. */
const TERMS = 12;
const LARGEST_NORM = 0.5;

/** e^M, by its series and repeated squaring (https://doi.org/10.1137/S00361445024180). */
function exponential(matrix: Matrix): Matrix {
  const norm = Math.max(...matrix.to2DArray().map((row) => row.reduce((sum, x) => sum + Math.abs(x), 0)));
  const halvings = Math.max(0, Math.ceil(Math.log2(norm / LARGEST_NORM)));
  const small = matrix.clone().div(2 ** halvings);
  let term = Matrix.eye(matrix.rows);
  let sum = Matrix.eye(matrix.rows);
  for (let order = 1; order <= TERMS; order++) {
    term = term.mmul(small).div(order);
    sum = Matrix.add(sum, term);
  }
  for (let count = 0; count < halvings; count++) sum = sum.mmul(sum);
  return sum;
}

/**
 * Populations after a tone, from a mixture of the three lowest levels of a transmon: its unitary evolution with decay,
 * heating and dephasing (a Lindblad equation, solved exactly for a constant tone).
 */
export function populationsAfterTone(qubit: TrueQubit, from: Populations, tone: Tone): Populations {
  if (!(tone.durationNs > 0)) return from;
  const propagator = exponential(generator(qubit, tone).mul(tone.durationNs));
  const before = [1 - from.excited - from.second, from.excited, from.second];
  const after = (level: Level) =>
    Math.min(
      1,
      Math.max(
        0,
        before.reduce((sum, value, index) => sum + value * propagator.get(level, index), 0),
      ),
    );
  return { excited: after(1), second: after(2) };
}
