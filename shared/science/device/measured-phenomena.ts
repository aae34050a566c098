import type { Dataset } from '../datasets/model.ts';
import type { TrueQubit } from './device.ts';
import { averageOf, NORMAL_PARTS } from './mixtures.ts';
import type { Phenomenon, PhenomenonKind } from './phenomena.ts';
import type { Random } from './random.ts';
import {
  driftOffset,
  freeze,
  freezeCounts,
  jumpOffset,
  loseGain,
  type Spoil,
  throwPoint,
} from './spoilt-data.ts';
import { SECOND_PLACE } from './third-level.ts';

/** Distance of both frequencies of a qubit whose charge parity switches from shot to shot, GHz. */
const PARITY_SPLITTING = { from: 0.05e-3, to: 0.5e-3 };
/** Fraction of the shots of an excited qubit that find it in the second excited state. */
const LEAKED_SHARE = 0.03;

const SPOILS: Partial<Record<PhenomenonKind, Spoil>> = {
  drifting_readout: driftOffset,
  offset_jump: jumpOffset,
  falling_gain: loseGain,
  wild_point: throwPoint,
  stuck_digitiser: freeze,
};

/** Frequency shifts that occur within one measurement, GHz, each in an equal fraction of its shots. */
function shotShifts(active: readonly Phenomenon[], { t2Star }: TrueQubit, random: Random): number[] {
  return active.reduce<number[]>(
    (shifts, { phenomenon, size }) => {
      if (phenomenon === 'charge_parity') {
        const { from, to } = PARITY_SPLITTING;
        const half = (size * from * (to / from) ** random.uniform()) / 2;
        return shifts.flatMap((shift) => [shift - half, shift + half]);
      }
      if (phenomenon === 'slow_dephasing') {
        // By itself, this deviation makes fringes decay about as fast as fast dephasing does.
        const deviation = (size * Math.SQRT2) / (2 * Math.PI * t2Star * 1000);
        return shifts.flatMap((shift) => NORMAL_PARTS.map((part) => shift + deviation * part));
      }
      return shifts;
    },
    [0],
  );
}

/** Whether a dataset contains single shots or counts, which cannot be averaged over datasets. */
function hasShots({ dims }: Dataset): boolean {
  return Object.hasOwn(dims, 'shot') || Object.hasOwn(dims, 'outcome');
}

/** Moves shots of the excited state to the position of the second excited state. Rows are the prepared states. */
function leak(dataset: Dataset, size: number, random: Random): void {
  const { iq_re: re, iq_im: im } = dataset.variables;
  const { shot: shots = 0 } = dataset.dims;
  if (re === undefined || im === undefined || shots === 0) return;
  const centre = (values: readonly (number | null)[], row: number) =>
    values.slice(row * shots, (row + 1) * shots).reduce<number>((sum, value) => sum + (value ?? 0), 0) /
    shots;
  const rows = re.values.length / shots;
  for (let row = 1; row < rows; row += 2) {
    const [dx, dy] = [re, im].map(({ values }) => centre(values, row) - centre(values, row - 1));
    const [alongX = 0, alongY = 0] = [dx, dy];
    const { along, beside } = SECOND_PLACE;
    for (let index = row * shots; index < (row + 1) * shots; index++) {
      if (random.uniform() >= LEAKED_SHARE * size) continue;
      re.values[index] = (re.values[index] ?? 0) + (along - 1) * alongX - beside * alongY;
      im.values[index] = (im.values[index] ?? 0) + (along - 1) * alongY + beside * alongX;
    }
  }
}

/** A measured qubit and the phenomena that act on it during the measurement. */
export interface MeasuredQubit {
  qubit: TrueQubit;
  active: readonly Phenomenon[];
}

/**
 * Maximum number of combinations of frequency shifts. Beyond it, the shifts of the qubits are paired one to one instead
 * of combined.
 */
const MAX_PARTS = 100;

/** Shifts of all qubits in each group of shots. */
function shotParts(qubits: readonly MeasuredQubit[], random: Random): number[][] {
  return qubits.reduce<number[][]>(
    (parts, { active, qubit }) => {
      const shifts = shotShifts(active, qubit, random);
      if (parts.length * shifts.length <= MAX_PARTS) {
        return parts.flatMap((part) => shifts.map((shift) => [...part, shift]));
      }
      const mixed = shifts
        .map((shift) => ({ shift, key: random.uniform() }))
        .sort((a, b) => a.key - b.key)
        .map(({ shift }) => shift);
      return Array.from({ length: Math.max(parts.length, mixed.length) }, (_, index) => [
        ...(parts[index % parts.length] ?? []),
        mixed[index % mixed.length] ?? 0,
      ]);
    },
    [[]],
  );
}

/** Phenomena that act on the shared instrument, each listed once. */
function ofInstrument(qubits: readonly MeasuredQubit[]): Phenomenon[] {
  return qubits.flatMap(({ active }, place) =>
    active.filter(({ phenomenon }) =>
      qubits
        .slice(0, place)
        .every(({ active: before }) => before.every((each) => each.phenomenon !== phenomenon)),
    ),
  );
}

/**
 * Simulates a measurement under phenomena that act during it: different shots have different frequencies, or the
 * instrument changes during the sweep.
 *
 * @param measure measures with the qubits, in their order, and a group of shots
 */
export function measureUnder(
  qubits: readonly MeasuredQubit[],
  random: Random,
  measure: (qubits: readonly TrueQubit[], part: number) => Dataset,
): Dataset {
  const parts = shotParts(qubits, random);
  const whole = measure(
    qubits.map(({ qubit }) => qubit),
    1,
  );
  const shifted = (shifts: readonly number[]) =>
    qubits.map(({ qubit }, place) => ({ ...qubit, f01: qubit.f01 + (shifts[place] ?? 0) }));
  const dataset =
    parts.length === 1 || hasShots(whole)
      ? whole
      : averageOf(parts.map((shifts) => measure(shifted(shifts), 1 / parts.length)));
  for (const { phenomenon, size } of ofInstrument(qubits)) {
    if (phenomenon === 'leakage') leak(dataset, size, random);
    else if (!hasShots(dataset)) SPOILS[phenomenon]?.(dataset, random);
    else if (phenomenon === 'stuck_digitiser') freezeCounts(dataset);
  }
  return dataset;
}
