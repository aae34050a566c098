import { z } from 'zod';
import { GHZ } from '../conventions/units.ts';
import { dressedResonator, muxOf, type TrueQubit } from './device.ts';
import { driftedQubit, withFrequency, withT1 } from './device-drift.ts';
import { staticZz, truePair } from './pair-device.ts';
import { type Random, randomFrom } from './random.ts';
import { MINUTE_MS } from './wandering.ts';

/**
 * Imperfections of real devices that the healthy simulated device lacks. docs/simulator.md gives the size and the
 * source of each.
 */
export const phenomenonKind = z.enum([
  'wide_spread',
  'wandering_t1',
  'wandering_frequency',
  'passing_defect',
  'device_drift',
  'charge_parity',
  'slow_dephasing',
  'hot',
  'no_reset',
  'leakage',
  'crosstalk',
  'drifting_drive',
  'drifting_readout',
  'offset_jump',
  'falling_gain',
  'wild_point',
  'stuck_digitiser',
]);
export type PhenomenonKind = z.infer<typeof phenomenonKind>;

/** A phenomenon on some or all qubits, of one chip or, without `chip_id`, of all chips. */
export const phenomenon = z.strictObject({
  chip_id: z.string().optional(),
  qids: z.array(z.string()).min(1).optional(),
  phenomenon: phenomenonKind,
  /** Factor on the usual strength. */
  size: z.number().positive().default(1),
});
export type Phenomenon = z.infer<typeof phenomenon>;

/** The properties of a measurement on which phenomena depend. */
export interface Circumstances {
  seed: string;
  qid: string;
  at: Date;
  /** From one shot to the next, ns; undefined if the task does not define it. */
  intervalNs: number | undefined;
  /** The other qubits that are driven at the same time. */
  others: readonly { qid: string; qubit: TrueQubit }[];
}

/** Dwell times of the fluctuators, one for each decade. Their total power spectrum goes as 1/f. */
const DWELLS_MS = [1, 10, 100, 1000].map((minutes) => minutes * MINUTE_MS);
/** Minimum time for which a telegraph signal keeps its value. */
const TELEGRAPH_MS = 20 * MINUTE_MS;

/** A random telegraph signal: 1 or −1 with equal probability, constant for a dwell time. A pure function of time. */
function telegraph({ seed, qid, at }: Circumstances, quantity: string, dwellMs: number): 1 | -1 {
  const phase = randomFrom(seed, qid, quantity, dwellMs).uniform();
  const place = Math.floor(at.getTime() / dwellMs + phase);
  return randomFrom(seed, qid, quantity, dwellMs, place).uniform() < 0.5 ? 1 : -1;
}

/** Sum of fluctuators, one for each decade, with a standard deviation of one. */
function oneOverF(circumstances: Circumstances, quantity: string): number {
  const sum = DWELLS_MS.reduce((total, dwell) => total + telegraph(circumstances, quantity, dwell), 0);
  return sum / Math.sqrt(DWELLS_MS.length);
}

function wideSpread(qubit: TrueQubit, random: Random, size: number): TrueQubit {
  const between = (lowest: number, highest: number) => {
    const middle = Math.sqrt(lowest * highest);
    return middle * (highest / middle) ** (size * random.between(-1, 1));
  };
  const kappaExternal = between(0.3, 20) * GHZ.MHz;
  const kappaInternal = kappaExternal * between(0.02, 0.5);
  const coupling = Math.min(0.3, between(0.05, 0.2));
  const t1 = between(5, 400);
  const t2Echo = Math.min(2 * t1, t1 * between(0.2, 2));
  const changed = {
    ...qubit,
    coupling,
    kappaExternal,
    kappaInternal,
    kappa: kappaExternal + kappaInternal,
    t1,
    t2Echo,
    t2Star: t2Echo * random.between(0.2, 0.95),
    noise: qubit.distance / between(1, 10),
  };
  return { ...changed, ...dressedResonator(changed) };
}

/** Range of a defect's distance from the qubit, width of its resonance, and T1 on resonance. */
const DEFECT_REACH = 20 * GHZ.MHz;
const DEFECT_WIDTH = 2 * GHZ.MHz;
const DEFECT_T1_US = 5;
const DEFECT_PERIOD_MS = 700 * MINUTE_MS;

function passingDefect(qubit: TrueQubit, circumstances: Circumstances, size: number): TrueQubit {
  const { seed, qid, at } = circumstances;
  const phase = randomFrom(seed, qid, 'passing defect').between(0, 2 * Math.PI);
  const path = Math.sin((2 * Math.PI * at.getTime()) / DEFECT_PERIOD_MS + phase);
  const distance = DEFECT_REACH * path + DEFECT_WIDTH * oneOverF(circumstances, 'passing defect');
  const rate = size / DEFECT_T1_US / (1 + (distance / DEFECT_WIDTH) ** 2);
  return withT1(qubit, 1 / (1 / qubit.t1 + rate));
}

/** Drive of a qubit by a neighbour's line, relative to its own line, and the Rabi frequency of drives. */
const DRIVE_CROSSTALK = 0.03;
const USUAL_RABI = 12.5 * GHZ.MHz;

/**
 * Frequency shift of a qubit by other qubits of its line that are driven at the same time: half of the static ZZ,
 * because they are excited half of the time, and the light shift by their crosstalk.
 */
function crosstalk(qubit: TrueQubit, { seed, qid, others }: Circumstances, size: number): TrueQubit {
  const mates = muxOf(qid).qids;
  const shift = others
    .filter((other) => other.qid !== qid && mates.includes(other.qid))
    .reduce((sum, other) => {
      const zz = staticZz(truePair(seed, { control: other.qid, target: qid }, other.qubit, qubit));
      const distance = qubit.f01 - other.qubit.f01;
      const leaked = DRIVE_CROSSTALK * USUAL_RABI;
      return sum + zz / 2 + (leaked ** 2 * Math.sign(distance)) / (2 * Math.max(Math.abs(distance), leaked));
    }, 0);
  return withFrequency(qubit, size * shift);
}

/**
 * The qubit without a reset between shots. On average, a pulse sequence leaves it excited with probability one half,
 * which decays until the next shot.
 */
function withoutReset(qubit: TrueQubit, { intervalNs }: Circumstances): TrueQubit {
  if (intervalNs === undefined) return qubit;
  const left = (0.5 - qubit.thermalPopulation) * Math.exp(-intervalNs / (1000 * qubit.t1));
  return { ...qubit, thermalPopulation: qubit.thermalPopulation + left };
}

/** The qubit under the phenomena of one measurement. */
export function changedQubit(
  qubit: TrueQubit,
  active: readonly Phenomenon[],
  circumstances: Circumstances,
): TrueQubit {
  return active.reduce((changed, each) => changeBy(each, changed, circumstances), qubit);
}

function changeBy(
  { phenomenon: kind, size }: Phenomenon,
  qubit: TrueQubit,
  circumstances: Circumstances,
): TrueQubit {
  const { seed, qid } = circumstances;
  switch (kind) {
    case 'wide_spread':
      return wideSpread(qubit, randomFrom(seed, qid, 'wide spread'), size);
    case 'wandering_t1': {
      const jumped = telegraph(circumstances, 't1', TELEGRAPH_MS) === 1 ? 1 : 0.5 ** size;
      return withT1(qubit, qubit.t1 * jumped * Math.exp(0.15 * size * oneOverF(circumstances, 't1')));
    }
    case 'wandering_frequency': {
      const jumped = 20 * telegraph(circumstances, 'f01', TELEGRAPH_MS);
      const shift = (jumped + 10 * oneOverF(circumstances, 'f01')) * GHZ.kHz;
      return withFrequency(qubit, size * shift);
    }
    case 'passing_defect':
      return passingDefect(qubit, circumstances, size);
    case 'device_drift':
      return driftedQubit(qubit, circumstances, size);
    case 'hot':
      return { ...qubit, thermalPopulation: Math.min(0.45, 0.1 * size + qubit.thermalPopulation) };
    case 'no_reset':
      return withoutReset(qubit, circumstances);
    case 'crosstalk':
      return crosstalk(qubit, circumstances, size);
    case 'drifting_drive': {
      const factor = Math.exp(0.02 * size * oneOverF(circumstances, 'drive'));
      return { ...qubit, maximumRabiFrequency: qubit.maximumRabiFrequency * factor };
    }
    case 'drifting_readout':
      return {
        ...qubit,
        direction: qubit.direction + 0.2 * size * oneOverF(circumstances, 'direction'),
        groundRe: qubit.groundRe + 0.1 * qubit.distance * size * oneOverF(circumstances, 'offset'),
      };
    default:
      return qubit;
  }
}
