import { z } from 'zod';
import { RESONATOR_ORDERS } from '../conventions/multiplexer.ts';
import { dressedResonator, muxOf, type TrueQubit, trueQubit } from './device.ts';

/**
 * Physical defects of a qubit of the hidden device.
 *
 * - `dead`: does not respond to its drive. `no_resonator`: no resonator is visible on the readout line.
 * - `low_contrast`: its states are almost indistinguishable. `short_t1`: a nearby defect absorbs its energy within 1
 *   us.
 * - `close_resonator`: its resonator is 5 MHz above the next one of the line.
 * - `swapped_resonator`: its resonator is at the frequency meant for that of the diagonal qubit of its MUX. On all four
 *   qubits, this gives the order that `resonator_assignment_pattern` calls 16q.
 * - `collision`: its frequency is within 1 MHz of that of its neighbour in the same row of its MUX. It affects only
 *   pairs.
 */
export const defectKind = z.enum([
  'dead',
  'no_resonator',
  'low_contrast',
  'short_t1',
  'close_resonator',
  'swapped_resonator',
  'collision',
]);
export type DefectKind = z.infer<typeof defectKind>;

/** A defect of the given qubits, of one chip or, without `chip_id`, of all chips. */
export const qubitDefect = z.strictObject({
  chip_id: z.string().optional(),
  qids: z.array(z.string()).min(1),
  defect: defectKind,
});
export type QubitDefect = z.infer<typeof qubitDefect>;

/**
 * Rabi frequency per amplitude of a dead qubit, GHz/a.u.: far below any line width, but not zero, which would cause a
 * division by zero.
 */
const DEAD_DRIVE = 1e-7;
/** Remaining fraction of the usual separation in a readout of low contrast. */
const LOW_CONTRAST = 0.01;
const SHORT_T1_US = 1;
const RESONATOR_DISTANCE_GHZ = 5e-3;
const COLLISION_DISTANCE_GHZ = 1e-3;
/** Positions in a MUX in order of rising resonator frequency. */
const RESONATOR_ORDER: readonly number[] = RESONATOR_ORDERS.default;

type MateAt = (place: number) => TrueQubit;

function placeOf(qid: string): number {
  return muxOf(qid).qids.indexOf(qid);
}

/** The qubit with the next lower resonator of the line. For the lowest resonator, it is the next higher one. */
function resonatorNeighbour(place: number): number {
  const slot = RESONATOR_ORDER.indexOf(place);
  return RESONATOR_ORDER[slot === 0 ? 1 : slot - 1] ?? place;
}

function withResonator(qubit: TrueQubit, bare: number): TrueQubit {
  return { ...qubit, ...dressedResonator({ ...qubit, resonatorBare: bare }) };
}

const changes: Record<DefectKind, (qubit: TrueQubit, place: number, mateAt: MateAt) => TrueQubit> = {
  dead: (qubit) => ({ ...qubit, maximumRabiFrequency: DEAD_DRIVE }),
  no_resonator: (qubit) => ({ ...qubit, kappaExternal: 0, distance: 0 }),
  low_contrast: (qubit) => {
    const resonatorExcited =
      qubit.resonatorGround + LOW_CONTRAST * (qubit.resonatorExcited - qubit.resonatorGround);
    return { ...qubit, resonatorExcited, distance: LOW_CONTRAST * qubit.distance };
  },
  short_t1: (qubit) => ({
    ...qubit,
    t1: SHORT_T1_US,
    t2Echo: Math.min(qubit.t2Echo, 2 * SHORT_T1_US),
    t2Star: Math.min(qubit.t2Star, 2 * SHORT_T1_US),
  }),
  close_resonator: (qubit, place, mateAt) => {
    const neighbour = mateAt(resonatorNeighbour(place));
    const distance = neighbour.resonatorGround + RESONATOR_DISTANCE_GHZ - qubit.resonatorGround;
    return withResonator(qubit, qubit.resonatorBare + distance);
  },
  swapped_resonator: (qubit, place, mateAt) => withResonator(qubit, mateAt(3 - place).resonatorBare),
  collision: (qubit, place, mateAt) => {
    const moved = { ...qubit, f01: mateAt(place ^ 1).f01 + COLLISION_DISTANCE_GHZ };
    return withResonator(moved, moved.resonatorBare);
  },
};

/**
 * The true parameters of a qubit of the hidden device with its own defects.
 *
 * @throws when the qid is not the number of a qubit
 */
export function defectiveQubit(
  seed: string,
  qid: string,
  at: Date,
  defects: readonly QubitDefect[],
): TrueQubit {
  const { qids } = muxOf(qid);
  const mateAt = (place: number) => trueQubit(seed, qids[place] ?? qid, at);
  return defects
    .filter((each) => each.qids.includes(qid))
    .reduce((qubit, { defect }) => changes[defect](qubit, placeOf(qid), mateAt), trueQubit(seed, qid, at));
}
