import { estimateText } from '../science/fitting/estimate.ts';
import { coherenceInfidelity } from '../science/quantum/gate-coherence.ts';
import { driftAfter, type EarlierValue, type FoundValue, HOURS_PER_DAY, separation } from './drift.ts';
import type { TaskDefinition, TaskOutput, Wander } from './model.ts';

export type { EarlierValue, FoundValue } from './drift.ts';

/** Known values of a target by name. */
export type Known = Readonly<Record<string, EarlierValue>>;

/** A reason to doubt a value. */
export interface Doubt {
  output: string;
  /** A message with both values, without a full stop. */
  message: string;
  /** Names of the known values that contradict it. If any of them turns out to be invalid, so does the doubt. */
  against: string[];
  /** `jump`: far from the earlier value. `physics`: impossible, however often it is measured. */
  kind: 'jump' | 'physics';
}

type Outputs = Readonly<Record<string, Pick<TaskOutput, 'unit' | 'wander'>>>;

/** Two values disagree beyond this many standard deviations of both errors and the drift together. */
const FAR = 5;
/** Minimum number of differences for an estimate of the drift. */
const MIN_DIFFERENCES = 5;
/** Half of normally distributed values are within this number of standard deviations. */
const MEDIAN_DEVIATION = 0.6745;

/** Passes of one task begin about half a minute apart: most measurements take seconds, some of them a minute. */
const BETWEEN_PASSES_HOURS = 30 / 3600;

/** Distance of two values in units of the combined standard deviation of both errors and the drift between them. */
function deviationsApart(one: FoundValue, other: EarlierValue, wander: Wander): number {
  const { apart, error } = separation(one, other, wander.of);
  return apart / Math.hypot(error, driftAfter(other.hours, wander));
}

/**
 * Whether a measurement agrees with an earlier one of the same task, such as another pass: within the errors of both and the drift
 * of the time between them. The scatter at once is that between tasks and settings, and is allowed for only in place of an error
 * that is not known.
 */
export function areAlike(
  one: FoundValue,
  other: EarlierValue,
  { wander }: Pick<TaskOutput, 'wander'>,
): boolean {
  const usual: Wander = wander ?? { atOnce: 0, perDay: 0, of: 'unit' };
  const atOnce = hasError(one) && hasError(other) ? 0 : usual.atOnce;
  const hours = Math.max(BETWEEN_PASSES_HOURS, other.hours);
  return !(deviationsApart(one, { ...other, hours }, { ...usual, atOnce }) > FAR);
}

/** Whether the error of a value is known; fits that found none may state zero. */
function hasError({ error }: FoundValue): boolean {
  return error !== null && error > 0;
}

/**
 * The drift observed in a history, if it exceeds the usual one: the median of the differences between neighbours beyond
 * their errors, so that a single jump has no effect.
 * @param history newest first
 */
export function wanderSeen(history: readonly EarlierValue[], usual: Wander): Wander {
  const differences = history.slice(1).map((older, index) => {
    const newer = history[index] ?? older;
    const { apart, error } = separation(newer, older, usual.of);
    // In units of the usual drift after that time.
    return Math.sqrt(Math.max(0, apart ** 2 - error ** 2)) / driftAfter(older.hours - newer.hours, usual);
  });
  if (differences.length < MIN_DIFFERENCES) return usual;
  const middle = differences.sort((a, b) => a - b)[Math.floor(differences.length / 2)] ?? 0;
  const seen = middle / MEDIAN_DEVIATION;
  const factor = Math.max(1, Number.isFinite(seen) ? seen : 1);
  return { ...usual, atOnce: factor * usual.atOnce, perDay: factor * usual.perDay };
}

export function ageText(hours: number): string {
  if (hours < 1) return `${Math.max(1, Math.round(60 * hours))} min`;
  return hours < 2 * HOURS_PER_DAY ? `${Math.round(hours)} h` : `${Math.round(hours / HOURS_PER_DAY)} days`;
}

export function foundText({ value, error }: FoundValue, unit: string): string {
  return estimateText({ value, error: error ?? 0 }, unit);
}

/** Doubts about measured values in view of the known values of the target. Without an entry in `known` there are no doubts. */
export function doubts(outputs: Outputs, found: Readonly<Record<string, FoundValue>>, known: Known): Doubt[] {
  const jumps = Object.entries(found).flatMap(([name, value]): Doubt[] => {
    const [output, earlier] = [outputs[name], known[name]];
    if (output === undefined || earlier === undefined) return [];
    const jump = jumpOf(name, value, { earlier, output });
    if (jump === null) return [];
    const twoPhotons = atTwoPhotons(name, value, { earlier, known });
    return [
      twoPhotons === null
        ? { output: name, against: [name], kind: 'jump', message: jump }
        : {
            output: name,
            against: [name, 'anharmonicity'],
            kind: 'physics',
            message: `${jump}, and ${twoPhotons}`,
          },
    ];
  });
  return [...jumps, ...coherenceDoubts(found, known), ...fidelityDoubts(found, known)];
}

/** A description of a value's jump; null if there is none. */
export function jumpOf(
  name: string,
  value: FoundValue,
  { earlier, output }: { earlier: EarlierValue; output: Pick<TaskOutput, 'unit' | 'wander'> },
): string | null {
  if (output.wander === undefined) return null;
  const deviations = deviationsApart(value, earlier, output.wander);
  if (!(deviations > FAR)) return null;
  const times = Number.isFinite(deviations) ? deviations.toPrecision(2) : 'many';
  return `${name} is ${foundText(value, output.unit)} after ${foundText(earlier, output.unit)} ${ageText(earlier.hours)} before, ${Number(times) || times} times what errors and drift explain`;
}

/** Shift of the two-photon line by a strong drive. */
const TWO_PHOTON_SHIFT_GHZ = 2e-3;
const FREQUENCIES = new Set(['qubit_frequency', 'coarse_qubit_frequency']);

/** Two-photon excitation of the second excited state occurs at f02/2, half the anharmonicity below the qubit. */
function atTwoPhotons(
  name: string,
  value: FoundValue,
  { earlier, known }: { earlier: EarlierValue; known: Known },
): string | null {
  const { anharmonicity } = known;
  if (!FREQUENCIES.has(name) || anharmonicity === undefined) return null;
  const line = {
    value: earlier.value + anharmonicity.value / 2,
    error: Math.hypot(earlier.error ?? 0, (anharmonicity.error ?? 0) / 2),
  };
  const isThere =
    separation(value, line, 'unit').apart <
    FAR * Math.hypot(line.error, value.error ?? 0, TWO_PHOTON_SHIFT_GHZ);
  return isThere
    ? `that is where two photons reach the second excited state: ${foundText(line, 'GHz')}`
    : null;
}

/** Relative drift of coherence times per day. */
const WANDER_OF_TIMES = 0.3;
/** Maximum drift allowed for by a rule of physics: two-level defects halve a T1 and let it recover. */
const MAX_DRIFT = Math.LN2;

/**
 * Whether a value is below a bound, allowing for drift of the times behind the bound. The allowance is five standard
 * deviations of drift, which grow from zero, up to a factor of two.
 */
function isBelow(value: FoundValue, bound: FoundValue, hours: number): boolean {
  const drift = Math.min(MAX_DRIFT, FAR * WANDER_OF_TIMES * Math.sqrt(hours / HOURS_PER_DAY));
  const left = Math.exp(-drift);
  return value.value + FAR * Math.hypot(value.error ?? 0, left * (bound.error ?? 0)) < left * bound.value;
}

/** Limit of coherence by relaxation: T2 is at most 2 T1. */
const RELAXATION_BOUNDS = [
  { t1: 't1', t2: ['t2_echo', 't2_star'] },
  { t1: 't1_average', t2: ['t2_echo_average'] },
] as const;
const UNIT_OF_TIMES = 'us';

/** A T2 above twice the T1 is wrong. A T1 below half the T2 may show that the T2 was wrong. */
function coherenceDoubts(found: Readonly<Record<string, FoundValue>>, known: Known): Doubt[] {
  return RELAXATION_BOUNDS.flatMap(({ t1, t2 }) =>
    t2.flatMap((name): Doubt[] => {
      const [own, other] = [found[name], found[t1]];
      const [longer, shorter] = [own ?? known[name], other ?? known[t1]];
      const isNew = own !== undefined || other !== undefined;
      if (!isNew || longer === undefined || shorter === undefined) return [];
      const earlier = own === undefined ? name : other === undefined ? t1 : null;
      const hours = earlier === null ? 0 : (known[earlier]?.hours ?? 0);
      const twice = { value: 2 * shorter.value, error: 2 * (shorter.error ?? 0) };
      if (!isBelow(twice, longer, hours)) return [];
      const against = earlier === null ? [] : [earlier];
      const message = `${name} of ${foundText(longer, UNIT_OF_TIMES)} is more than twice the ${t1} of ${foundText(shorter, UNIT_OF_TIMES)}${hours > 0 ? ` of ${ageText(hours)} before` : ''}`;
      return own === undefined
        ? [{ output: t1, against, kind: 'jump', message }]
        : [{ output: name, against, kind: 'physics', message }];
    }),
  );
}

/** Fidelities of gates, each limited by decay during one gate; a mean Clifford is as long as one pi/2 pulse. */
const ONE_QUBIT_GATES = ['x90_gate_fidelity', 'average_gate_fidelity'] as const;
const NS_PER_US = 1000;

/** An upper bound of a fidelity, and whether it holds for any dephasing. */
interface FidelityLimit extends EarlierValue {
  against: string[];
  kind: Doubt['kind'];
  /** The cause of the bound. */
  by: string;
}

/**
 * No gate is better than the limit of relaxation, with a T2 of twice the T1. A gate better than the limit of the echo T2
 * is unlikely but possible: slow noise dephases less within a gate than an exponential decay with the same T2.
 */
function fidelityDoubts(found: Readonly<Record<string, FoundValue>>, known: Known): Doubt[] {
  const ofQubit = oneQubitLimits(known);
  return [
    ...ONE_QUBIT_GATES.flatMap((name) => fidelityDoubt(name, found[name], ofQubit)),
    ...fidelityDoubt('zx90_gate_fidelity', found.zx90_gate_fidelity, pairLimits(known)),
  ];
}

/**
 * Whether a target continues with the following tasks after one was refused. It does not if a doubted value is one that
 * this task was set up with, because the following tasks are too.
 * @param doubted names of the outputs that contradict known values
 */
export function goesOnAfter(
  { goesOnWhenRefused, inputs }: Pick<TaskDefinition, 'goesOnWhenRefused' | 'inputs'>,
  doubted: readonly string[],
): boolean {
  return goesOnWhenRefused === true && !doubted.some((name) => name in inputs);
}

/** The most certain limit first. */
function oneQubitLimits(known: Known): FidelityLimit[] {
  const t1 = newerOf(known, 't1_average', 't1');
  const t2 = newerOf(known, 't2_echo_average', 't2_echo');
  const lengthNs = known.drag_hpi_length?.value;
  if (t1 === null || lengthNs === undefined) return [];
  const twice = { value: 2 * t1.value, error: 2 * (t1.error ?? 0) };
  const relaxation: FidelityLimit = {
    ...decayed(t1, twice, lengthNs),
    hours: t1.hours,
    against: [t1.name],
    kind: 'physics',
    by: 'relaxation',
  };
  if (t2 === null) return [relaxation];
  const decay: FidelityLimit = {
    ...decayed(t1, t2, lengthNs),
    hours: Math.max(t1.hours, t2.hours),
    against: [t1.name, t2.name],
    kind: 'jump',
    by: 'decay',
  };
  return [relaxation, decay];
}

/** The computed limit, unless the gate's length was changed after it. */
function pairLimits({ two_qubit_gate_coherence_limit: limit, zx90_gate_time: time }: Known): FidelityLimit[] {
  if (limit === undefined || (time !== undefined && time.hours < limit.hours)) return [];
  return [{ ...limit, against: ['two_qubit_gate_coherence_limit'], kind: 'jump', by: 'decay' }];
}

function newerOf(known: Known, one: string, other: string): (EarlierValue & { name: string }) | null {
  const there = [one, other].flatMap((name) => {
    const value = known[name];
    return value === undefined ? [] : [{ ...value, name }];
  });
  return there.sort((a, b) => a.hours - b.hours)[0] ?? null;
}

/** The fidelity of a gate limited by decay, with the error caused by the errors of both times. */
function decayed(t1: FoundValue, t2: FoundValue, lengthNs: number): FoundValue {
  const lost = coherenceInfidelity(lengthNs / NS_PER_US, t1.value, t2.value);
  const part = Math.hypot((t1.error ?? 0) / t1.value, (t2.error ?? 0) / t2.value);
  return { value: 1 - lost, error: lost * part };
}

/** The doubt of the first exceeded limit. */
function fidelityDoubt(
  name: string,
  found: FoundValue | undefined,
  limits: readonly FidelityLimit[],
): Doubt[] {
  if (found === undefined) return [];
  const lost = ({ value, error }: FoundValue): FoundValue => ({ value: 1 - value, error });
  const exceeded = limits.find((limit) => isBelow(lost(found), lost(limit), limit.hours));
  if (exceeded === undefined) return [];
  const { against, kind, by, hours } = exceeded;
  const message = `${name} of ${foundText(found, '')} is above what the ${by} of ${ageText(hours)} before allows, ${foundText(exceeded, '')}`;
  return [{ output: name, against, kind, message }];
}
