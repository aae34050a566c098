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
/** One in this many shots of an excited qubit is in the second excited state. */
const LEAKED_SHARE = 0.03;

const SPOILS: Partial<Record<PhenomenonKind, Spoil>> = {
  drifting_readout: driftOffset,
  offset_jump: jumpOffset,
  falling_gain: loseGain,
  wild_point: throwPoint,
  stuck_digitiser: freeze,
};

/** Shifts of the frequency that the shots of one measurement share, GHz, each in an equal part of them. */
function shotShifts(active: readonly Phenomenon[], { t2Star }: TrueQubit, random: Random): number[] {
  return active.reduce<number[]>(
    (shifts, { phenomenon, size }) => {
      if (phenomenon === 'charge_parity') {
        const { from, to } = PARITY_SPLITTING;
        const half = (size * from * (to / from) ** random.uniform()) / 2;
        return shifts.flatMap((shift) => [shift - half, shift + half]);
      }
      if (phenomenon === 'slow_dephasing') {
        // Alone it would end fringes about where the fast dephasing does.
        const deviation = (size * Math.SQRT2) / (2 * Math.PI * t2Star * 1000);
        return shifts.flatMap((shift) => NORMAL_PARTS.map((part) => shift + deviation * part));
      }
      return shifts;
    },
    [0],
  );
}

/** Whether a dataset has single shots or counts of them, which no mean of several makes. */
function hasShots({ dims }: Dataset): boolean {
  return Object.hasOwn(dims, 'shot') || Object.hasOwn(dims, 'outcome');
}

/** Moves shots of the excited state to where the second excited one is seen. Rows are the prepared states. */
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

/** A qubit that takes part in a measurement, and what happens to it meanwhile. */
export interface MeasuredQubit {
  qubit: TrueQubit;
  active: readonly Phenomenon[];
}

/** Kinds of shots of one measurement at most: beyond, those of its qubits are paired off instead of combined. */
const MAX_PARTS = 100;

/** Shifts of all qubits in each part of the shots. */
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

/** What acts on the instrument that reads them all, each once. */
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
 * Measures under phenomena that act within a measurement: its shots are of several kinds, or the instrument changes while
 * it sweeps.
 *
 * @param measure measures with the qubits, in their order, and a part of the shots
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
