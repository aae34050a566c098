import { QUBITS_PER_MUX } from '../conventions/multiplexer.ts';
import { PULSE_RAMP_NS } from '../conventions/pulse.ts';
import { DEFAULT_READOUT } from '../conventions/readout.ts';
import { type Random, randomFrom } from './random.ts';
import { HOUR_MS } from './wandering.ts';

/**
 * The true parameters of one qubit at one time. Frequencies in GHz; times in us, unless the name contains another unit.
 */
export interface TrueQubit {
  /** Frequency of the transition from the ground to the first excited state. */
  f01: number;
  anharmonicity: number;
  t1: number;
  /** Factor by which a defect shortens T1 in some runs of an average; 1 for qubits without such a defect. */
  telegraphFactor: number;
  t2Echo: number;
  t2Star: number;
  /** Exponent n of the echo decay e^(−(t/T2)^n), default 1. Slow noise makes it larger. */
  echoExponent?: number;
  /**
   * Quasiparticles on the junctions: `mean` is their mean number, `t1` the relaxation time by each of them
   * (https://doi.org/10.1038/ncomms12964). None when absent.
   */
  quasiparticles?: { mean: number; t1: number };
  /** Rabi frequency per control amplitude, GHz/a.u. */
  maximumRabiFrequency: number;
  /**
   * The line of another qubit that responds to the same drive and changes the same signal, by the fraction `share` of
   * this qubit's change. None when absent.
   */
  foreignLine?: { f01: number; share: number };
  /** Frequencies of the resonator with the qubit in its ground and excited state. */
  resonatorGround: number;
  resonatorExcited: number;
  /** Line width of the resonator, GHz: total, by coupling to the line, and by internal losses. */
  kappa: number;
  kappaExternal: number;
  kappaInternal: number;
  /** Frequency of the resonator at high photon numbers, where the qubit no longer shifts it. */
  resonatorBare: number;
  /** Coupling of qubit and resonator. */
  coupling: number;
  /** The readout line, which the qubits of a MUX share: its delay, its phase, and the noise of a tone at full scale. */
  lineDelayNs: number;
  linePhase: number;
  lineNoise: number;
  /** The middle of both resonances. The contrast is largest here if the resonances are closer than their width. */
  readoutFrequency: number;
  /** Amplitude at which the distance of the states is `distance`. */
  readoutAmplitude: number;
  readoutLengthNs: number;
  /** Half width of the transition without broadening by the drive. */
  lineWidth: number;
  /** Probability to find the qubit excited without any drive. */
  thermalPopulation: number;
  /**
   * Averaged signal of the ground state, and direction and distance from it to the excited state, in the IQ plane
   * (a.u.).
   */
  groundRe: number;
  groundIm: number;
  direction: number;
  distance: number;
  /** Standard deviation of one shot per quadrature (a.u.). */
  noise: number;
  /**
   * Effective lengthening of a pulse with a given flat part by its ramps, or shortening of a pulse with a given total
   * length.
   */
  rampNs: number;
}

/** Width of the lattice of MUXes, which determines the shifted ones. */
const MUX_COLUMNS = 4;
/** Design frequencies by position in the MUX: top left, top right, bottom left, bottom right; GHz. */
const DESIGN_FREQUENCIES = [8.06, 8.96, 8.89, 7.99] as const;
/** Shift of every second MUX to higher frequencies. */
const MUX_SHIFT = 0.14;
const DESIGN_SPREAD = 0.04;
/** Bare resonator frequencies by position in the MUX. In rising order they belong to the positions 3, 0, 2, 1. */
export const RESONATOR_FREQUENCIES = [10.15, 10.53, 10.35, 9.95] as const;

/** Periods of the drift: incommensurate, so that it never repeats within the life of a chip. */
const DRIFT_PERIODS_MS = [7.3, 31.7, 143.9].map((hours) => hours * HOUR_MS);

/** Slow drift around zero with a standard deviation of about one: a pure function of its key and the time. */
function drift(seed: string, qid: string, quantity: string, at: Date): number {
  const random = randomFrom(seed, qid, 'drift', quantity);
  const scale = Math.sqrt(2 / DRIFT_PERIODS_MS.length);
  return DRIFT_PERIODS_MS.reduce((sum, period) => {
    const phase = random.between(0, 2 * Math.PI);
    return sum + scale * Math.sin((2 * Math.PI * at.getTime()) / period + phase);
  }, 0);
}

/** Index of a qubit from its id, which is a number on simulated chips. */
function qubitIndex(qid: string): number {
  const index = Number(qid);
  if (!Number.isSafeInteger(index) || index < 0 || String(index) !== qid) {
    throw new Error(`The simulated chip has no qubit "${qid}": its qubits are numbered from 0.`);
  }
  return index;
}

/** The readout line of a qubit, and the ids of the qubits on it by position. */
export function muxOf(qid: string): { name: string; qids: string[] } {
  const mux = Math.floor(qubitIndex(qid) / QUBITS_PER_MUX);
  const qids = Array.from({ length: QUBITS_PER_MUX }, (_, place) => String(mux * QUBITS_PER_MUX + place));
  return { name: `mux-${mux}`, qids };
}

function logUniform(random: Random, minimum: number, maximum: number): number {
  return minimum * (maximum / minimum) ** random.uniform();
}

function clip(value: number, minimum: number, maximum: number): number {
  return Math.min(maximum, Math.max(minimum, value));
}

/**
 * Frequencies of a resonator shifted by its qubit: −g²/D in the ground state, and 2χ further in the excited state,
 * where χ = (g²/D) α / (D + α) with D = f01 − f_bare. GHz.
 */
export function dressedResonator({
  f01,
  anharmonicity,
  coupling,
  resonatorBare,
}: Pick<TrueQubit, 'f01' | 'anharmonicity' | 'coupling' | 'resonatorBare'>) {
  const detuning = f01 - resonatorBare;
  const resonatorGround = resonatorBare - coupling ** 2 / detuning;
  const chi = (coupling ** 2 / detuning) * (anharmonicity / (detuning + anharmonicity));
  const resonatorExcited = resonatorGround + 2 * chi;
  return {
    resonatorBare,
    resonatorGround,
    resonatorExcited,
    readoutFrequency: (resonatorGround + resonatorExcited) / 2,
  };
}

/**
 * The true parameters of a qubit, hidden from the tasks and drawn from the ranges of chips of 64 fixed-frequency
 * transmons. The parity of a qubit's position determines its frequency band: of two neighbours, the one with even row +
 * column is always lower, which is the direction rule of the topologies.
 *
 * @throws when the qid is not the number of a qubit
 */
export function trueQubit(seed: string, qid: string, at: Date): TrueQubit {
  const index = qubitIndex(qid);
  const place = index % QUBITS_PER_MUX;
  const mux = Math.floor(index / QUBITS_PER_MUX);
  const shifted = (Math.floor(mux / MUX_COLUMNS) + (mux % MUX_COLUMNS)) % 2 === 1;
  const random = randomFrom(seed, qid, 'device');
  const moved = (quantity: string) => drift(seed, qid, quantity, at);

  // The order of the draws determines the device of a seed, so add new draws at the end.
  const designed = (DESIGN_FREQUENCIES[place] ?? 0) + (shifted ? MUX_SHIFT : 0);
  const f01 = designed + DESIGN_SPREAD * clip(random.normal(), -3, 3) + 60e-6 * moved('f01');
  const anharmonicity = -random.between(0.3, 0.45);
  const limited = random.uniform() < 0.03;
  const usual = clip(50 * Math.exp(0.4 * random.normal()), 20, 110);
  const t1 = (limited ? random.between(5, 15) : usual) * Math.exp(0.08 * moved('t1'));
  // Relaxation limits coherence at any time, with or without drift.
  const t2Echo = Math.min(2 * t1, random.between(15, 60) * Math.exp(0.05 * moved('t2')));
  const t2Star = t2Echo * random.between(0.3, 0.9);
  const maximumRabiFrequency = logUniform(random, 0.1, 0.6);
  const bare = (RESONATOR_FREQUENCIES[place] ?? 0) + random.between(-0.02, 0.02);
  const coupling = random.between(0.08, 0.16);
  const kappaExternal = random.between(0.004, 0.007);
  const kappa = 1.06 * kappaExternal;
  const readoutAmplitude = random.between(0.03, 0.06);
  const thermalPopulation = random.between(0.005, 0.03);
  const radius = random.between(0.05, 0.15);
  const phase = random.between(-Math.PI, Math.PI);
  const direction = random.between(-Math.PI, Math.PI);
  const distance = 0.11 * random.between(0.85, 1.15);

  const line = randomFrom(seed, muxOf(qid).name, 'line');
  const defect = randomFrom(seed, qid, 'defect');

  return {
    f01,
    anharmonicity,
    t1,
    telegraphFactor: defect.uniform() < 0.1 ? defect.between(0.6, 0.85) : 1,
    t2Echo,
    t2Star,
    maximumRabiFrequency,
    kappa,
    kappaExternal,
    kappaInternal: kappa - kappaExternal,
    ...dressedResonator({ f01, anharmonicity, coupling, resonatorBare: bare }),
    coupling,
    lineDelayNs: line.between(30, 80),
    linePhase: line.between(-Math.PI, Math.PI),
    lineNoise: logUniform(line, 0.0003, 0.001),
    readoutAmplitude,
    readoutLengthNs: DEFAULT_READOUT.lengthNs,
    lineWidth: randomFrom(seed, qid, 'line width').between(0.001, 0.002),
    thermalPopulation,
    groundRe: radius * Math.cos(phase),
    groundIm: radius * Math.sin(phase),
    direction,
    distance,
    noise: distance / 4.5,
    rampNs: PULSE_RAMP_NS,
  };
}
