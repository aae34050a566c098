import { QUBITS_PER_MUX } from '../conventions/multiplexer.ts';
import { PULSE_RAMP_NS } from '../conventions/pulse.ts';
import { DEFAULT_READOUT } from '../conventions/readout.ts';
import { type Random, randomFrom } from './random.ts';

/** The true parameters of one qubit at one moment. Frequencies in GHz, times in us unless their name has another unit. */
export interface TrueQubit {
  /** Frequency of the transition from the ground to the first excited state. */
  f01: number;
  anharmonicity: number;
  t1: number;
  /** A defect shortens T1 by this factor in some runs of an average; 1 for qubits without such a neighbour. */
  telegraphFactor: number;
  t2Echo: number;
  t2Star: number;
  /** Coherence with an echo goes as e^(−(t/T2)^n); 1 if this is left out. Noise that is slow makes it larger. */
  echoExponent?: number;
  /**
   * Quasiparticles on the junctions: `mean` is their mean number, `t1` the relaxation time that each of them adds
   * (https://doi.org/10.1038/ncomms12964). None when absent.
   */
  quasiparticles?: { mean: number; t1: number };
  /** Rabi frequency per control amplitude, GHz/a.u. */
  maximumRabiFrequency: number;
  /** The line of another qubit that answers the same drive and moves the same signal, by `share` of what this one does. None when absent. */
  foreignLine?: { f01: number; share: number };
  /** Frequencies of the resonator with the qubit in its ground and excited state. */
  resonatorGround: number;
  resonatorExcited: number;
  /** Linewidth of the resonator, GHz: what leaks into the line, and what is lost. */
  kappa: number;
  kappaExternal: number;
  kappaInternal: number;
  /** Frequency of the resonator at high photon numbers, where the qubit no longer shifts it. */
  resonatorBare: number;
  /** Coupling of qubit and resonator. */
  coupling: number;
  /** The readout line, which the qubits of a MUX share: its delay, phase, and noise of one tone at full scale. */
  lineDelayNs: number;
  linePhase: number;
  lineNoise: number;
  /** Midway between both resonances. The states differ most here if the resonances are closer than their width. */
  readoutFrequency: number;
  /** Amplitude at which the states lie `distance` apart. */
  readoutAmplitude: number;
  readoutLengthNs: number;
  /** Half width of the transition under a drive so weak that it does not broaden it. */
  lineWidth: number;
  /** Probability to find the qubit excited without any drive. */
  thermalPopulation: number;
  /** Averaged signals of the ground state, and from it to the excited state, in the IQ plane (a.u.). */
  groundRe: number;
  groundIm: number;
  direction: number;
  distance: number;
  /** Standard deviation of one shot per quadrature (a.u.). */
  noise: number;
  /** Effective lengthening of a flat-top pulse by its ramps, and what a pulse of given total length loses to them. */
  rampNs: number;
}

/** Width of the lattice of MUXes that decides which of them are shifted. */
const MUX_COLUMNS = 4;
/** Design frequencies by place in the MUX: top left, top right, bottom left, bottom right; GHz. */
const DESIGN_FREQUENCIES = [8.06, 8.96, 8.89, 7.99] as const;
/** Every other MUX lies higher by this. */
const MUX_SHIFT = 0.14;
const DESIGN_SPREAD = 0.04;
/** Bare resonators by place in the MUX: in rising order they belong to the places 3, 0, 2, 1. */
export const RESONATOR_FREQUENCIES = [10.15, 10.53, 10.35, 9.95] as const;

const HOUR_MS = 3_600_000;
/** Periods of the drift: incommensurate, so that it never repeats within the life of a chip. */
const DRIFT_PERIODS_MS = [7.3, 31.7, 143.9].map((hours) => hours * HOUR_MS);

/** Slow change around zero with a standard deviation of about one: a pure function of its key and of time. */
function drift(seed: string, qid: string, quantity: string, at: Date): number {
  const random = randomFrom(seed, qid, 'drift', quantity);
  const scale = Math.sqrt(2 / DRIFT_PERIODS_MS.length);
  return DRIFT_PERIODS_MS.reduce((sum, period) => {
    const phase = random.between(0, 2 * Math.PI);
    return sum + scale * Math.sin((2 * Math.PI * at.getTime()) / period + phase);
  }, 0);
}

/** Index of a qubit from its id; the simulated chips name their qubits by number. */
function qubitIndex(qid: string): number {
  const index = Number(qid);
  if (!Number.isSafeInteger(index) || index < 0 || String(index) !== qid) {
    throw new Error(`The simulated chip has no qubit "${qid}": its qubits are numbered from 0.`);
  }
  return index;
}

/** The readout line of a qubit, and the ids of the qubits on it by their places. */
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
 * A resonator as its qubit pulls it in either state: by g²/Δ, and 2χ further with the qubit excited, where
 * χ = (g²/D) α / (D + α) with D = f01 − f_bare. GHz.
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
 * The hidden truth about a qubit, drawn from ranges that chips of 64 fixed-frequency transmons have. The parity of a
 * qubit's place decides its frequency band, so that of two neighbours the one with even row + column is always the
 * lower: the topologies' direction rule.
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

  // The order of the draws is part of what a seed means: add new ones at the end.
  const designed = (DESIGN_FREQUENCIES[place] ?? 0) + (shifted ? MUX_SHIFT : 0);
  const f01 = designed + DESIGN_SPREAD * clip(random.normal(), -3, 3) + 60e-6 * moved('f01');
  const anharmonicity = -random.between(0.3, 0.45);
  const limited = random.uniform() < 0.03;
  const usual = clip(50 * Math.exp(0.4 * random.normal()), 20, 110);
  const t1 = (limited ? random.between(5, 15) : usual) * Math.exp(0.08 * moved('t1'));
  // Relaxation bounds coherence at any moment, drift or not.
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
