import { placeOrder, QUBITS_PER_MUX, RESONATOR_ORDERS } from '../../../science/conventions/multiplexer.ts';
import { USUAL_KAPPA_GHZ } from '../../../science/conventions/readout.ts';
import type { AnalysisInput } from './model.ts';

/** What is known of the resonators of a line before they are measured. */
export interface LinePlan {
  /** How many there are. */
  slots: number;
  /** Design frequencies in rising order, GHz. */
  design?: readonly number[];
}

/** Index of the resonator that belongs to a slot; or that there is none, or that it cannot be told. */
export type Slot = number | 'missing' | 'unclear';

/** An assignment must be so much more likely than all others together. */
const CERTAIN = 0.98;
/** Two lines that lie nearer may be those of one resonator: a wide one, or one that noise splits, GHz. */
const DISTINCT_GHZ = 5 * USUAL_KAPPA_GHZ;
/** Resonators lie off their design by this, and all of a line together, GHz. */
const OFF_DESIGN_GHZ = 0.02;
const OFF_TOGETHER_GHZ = 0.03;
/** What it costs that a slot is empty although a line of no slot is there, in units of the log-likelihood. */
const STRAY_LINE = 12;
/** Lines of more slots are compared without stray ones: there would be too many ways. */
const MOST_SLOTS_WITH_STRAYS = 6;

/** A named pattern, or the places themselves: `3,0,2,1`. */
export function assignmentOrder(pattern: string): readonly number[] | undefined {
  const named: Readonly<Record<string, readonly number[]>> = RESONATOR_ORDERS;
  if (Object.hasOwn(named, pattern)) return named[pattern];
  return placeOrder(pattern);
}

/** Lines that belong to slots, both in rising order. */
type Match = readonly { line: number; slot: number }[];

/**
 * Tells which resonator belongs to which slot, both by rising frequency: by the design frequencies, or by order alone.
 */
export function assignSlots(found: readonly number[], { slots, design }: LinePlan): Slot[] {
  return design === undefined ? slotsByOrder(found, slots) : slotsByDesign(found, design);
}

/**
 * Where the plan is not known, all that tells is that every resonator is there. Where one is missing, whatever the gaps
 * are, there is a plan without another that looks the same: of an even one an inner resonator, of an uneven one the last.
 */
function slotsByOrder(found: readonly number[], slots: number): Slot[] {
  const all = Array.from({ length: slots }, (_, slot) => slot);
  if (found.length === 0) return all.map(() => 'missing');
  const isComplete = found.length === slots && indistinct(found) === undefined;
  return all.map((slot) => (isComplete ? slot : 'unclear'));
}

/** The first two lines, in rising order, that may be one. */
function indistinct(found: readonly number[]): readonly [number, number] | undefined {
  return found
    .slice(1)
    .map((upper, index) => [found[index] ?? Number.NaN, upper] as const)
    .find(([lower, upper]) => upper - lower < DISTINCT_GHZ);
}

/**
 * Compares all ways to leave out what is missing. What is the same in all likely ways is certain, the rest is not told.
 */
function slotsByDesign(found: readonly number[], design: readonly number[]): Slot[] {
  const ways = waysByDesign(found, design);
  const least = Math.min(...ways.map(({ cost }) => cost));
  const weights = ways.map(({ cost }) => Math.exp(least - cost));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return design.map((_, slot): Slot => {
    const likely = new Map<Slot, number>();
    for (const [index, { match }] of ways.entries()) {
      const line = match.find((each) => each.slot === slot)?.line ?? 'missing';
      likely.set(line, (likely.get(line) ?? 0) + (weights[index] ?? 0) / total);
    }
    return [...likely].find(([, share]) => share > CERTAIN)?.[0] ?? 'unclear';
  });
}

/** A way to assign lines; `cost` is its negative log-likelihood, up to what all have in common. */
interface Way {
  match: Match;
  cost: number;
}

function waysByDesign(found: readonly number[], design: readonly number[]): Way[] {
  return matchesOf(found.length, design.length, design.length <= MOST_SLOTS_WITH_STRAYS).map((match) => ({
    match,
    cost: designCost(found, match, design) + STRAY_LINE * (found.length - match.length),
  }));
}

/** All ways to give lines to slots in order; without strays every line has one. */
function matchesOf(lines: number, slots: number, strays: boolean): Match[] {
  const from = (line: number, slot: number): Match[] => {
    if (line === lines) return [[]];
    const taken = Array.from({ length: Math.max(0, slots - slot) }, (_, index) => slot + index).flatMap(
      (at) => from(line + 1, at + 1).map((rest): Match => [{ line, slot: at }, ...rest]),
    );
    return strays ? [...taken, ...from(line + 1, slot)] : taken;
  };
  return from(0, 0);
}

/** Of design frequencies from which all resonators may be off together. */
function designCost(found: readonly number[], match: Match, design: readonly number[]): number {
  const residuals = match.map(({ line, slot }) => (found[line] ?? 0) - (design[slot] ?? 0));
  const sum = residuals.reduce((total, value) => total + value, 0);
  const ratio = (OFF_DESIGN_GHZ / OFF_TOGETHER_GHZ) ** 2;
  const offset = sum / (residuals.length + ratio);
  const squares = residuals.reduce((total, value) => total + (value - offset) ** 2, 0);
  return squares / (2 * OFF_DESIGN_GHZ ** 2) + offset ** 2 / (2 * OFF_TOGETHER_GHZ ** 2);
}

/** How the resonators of a line are told apart. */
export interface Assignment {
  resonators: number;
  /** Places on the multiplexer by rising frequency. */
  order: readonly number[];
  /** Design frequencies in rising order. */
  design?: readonly number[];
  /** Whether the design was named for this measurement: an earlier assignment counts for nothing then. */
  isNamed: boolean;
}

/** The pattern where none is named; what the wiring says of the order counts then. */
const UNNAMED = 'default';

/**
 * Reads how resonators are assigned, or a sentence why they cannot be. A backend that has the design frequencies in its
 * wiring file delivers them as `design_frequency` over `place`. A pattern that is named and has another order says that
 * the line is not built as the wiring has it: its frequencies count for nothing then.
 */
export function assignmentOf({
  runParameters: run,
  dataset,
}: Pick<AnalysisInput, 'runParameters' | 'dataset'>): Assignment | string {
  const pattern = run.resonator_assignment_pattern?.value ?? UNNAMED;
  const order = assignmentOrder(String(pattern));
  if (order === undefined) return `there is no resonator_assignment_pattern ${JSON.stringify(pattern)}`;
  const wanted = run.num_resonators?.value;
  const resonators = typeof wanted === 'number' ? wanted : order.length;
  const given = run.resonator_design_frequencies?.value;
  if (Array.isArray(given) && given.length > 0) {
    const design = orderedDesign(given.map(Number), resonators);
    return design === undefined
      ? `resonator_design_frequencies has to name ${resonators} different frequencies, one for each place`
      : { resonators, ...design, isNamed: true };
  }
  const wired = orderedDesign(wiredFrequencies(dataset), resonators);
  const isWired = wired !== undefined && (pattern === UNNAMED || String(wired.order) === String(order));
  return { resonators, ...(isWired ? wired : { order }), isNamed: false };
}

/** Of frequencies by place: the places by rising frequency and their frequencies, if each has its own. */
function orderedDesign(
  byPlace: readonly number[],
  resonators: number,
): Required<Pick<Assignment, 'order' | 'design'>> | undefined {
  const isUsable = byPlace.every(Number.isFinite) && new Set(byPlace).size === byPlace.length;
  if (!isUsable || byPlace.length !== resonators) return undefined;
  const at = (place: number) => byPlace[place] ?? Number.NaN;
  const order = byPlace.map((_, place) => place).sort((a, b) => at(a) - at(b));
  return { order, design: order.map(at) };
}

/** What the wiring says of each place in turn; NaN where it says nothing. */
function wiredFrequencies({ variables, coordinates }: AnalysisInput['dataset']): number[] {
  const frequencies = variables.design_frequency?.values ?? [];
  const places = coordinates.place?.values ?? frequencies.map((_, place) => place);
  return frequencies.map((_, place) => frequencies[places.indexOf(place)] ?? Number.NaN);
}

/** Lines that were seen, in rising order, and what is known of the one that is looked for. GHz. */
export interface SeenLines {
  at: readonly number[];
  /** Where the resonator of this qubit was before. */
  earlier: number | undefined;
  /** As far from there it may be. */
  reach: number;
}

/**
 * Which of the lines is that of a qubit: by design frequencies that were named; else by where it was before, if the
 * wiring's design or the order of all do not contradict that; else by these.
 * @returns the index of the line, or a sentence why none is
 */
export function ownLine(
  qid: string,
  { at, earlier, reach }: SeenLines,
  assignment: Assignment,
): number | string {
  const { resonators, order, design, isNamed } = assignment;
  const place = Number(qid) % QUBITS_PER_MUX;
  const slot = order.indexOf(place);
  const seen = `${at.length} of ${resonators} resonators were found${at.length > 0 ? `, at ${at.map((frequency) => frequency.toFixed(3)).join(', ')} GHz` : ''}`;
  if (slot < 0) return `the assignment has no resonator for place ${place} of the line`;
  // Of an order of other places than the line has, nothing says which one each line is.
  const isOrdered = order.length === resonators;
  const slots = isOrdered ? assignSlots(at, { slots: resonators, ...(design && { design }) }) : [];
  const given = slots[slot] ?? 'unclear';
  if (!isNamed && earlier !== undefined) {
    const near = at.flatMap((frequency, index) => (Math.abs(frequency - earlier) < reach ? [index] : []));
    const before = `at ${earlier.toFixed(3)} GHz before`;
    const [own] = near;
    if (near.length === 1 && own !== undefined) {
      const isOfAnother = slots.some((line, other) => line === own && other !== slot);
      if (!isOfAnother && (given === own || given === 'unclear')) return own;
      const found = isOfAnother ? 'that of another qubit lies' : 'it does not lie';
      const told =
        design === undefined
          ? `by their order ${found}; design frequencies decide`
          : `by the design of the wiring ${found}; design frequencies that are named decide`;
      return `${seen}: the one of qubit ${qid} was ${before}, where ${told}`;
    }
    if (near.length === 0 && at.length < resonators) {
      return `${seen}: the one of qubit ${qid}, ${before}, is missing`;
    }
  }
  if (given === 'missing') return `${seen}: the one of qubit ${qid} is missing`;
  if (given !== 'unclear') return given;
  const untold = `${seen}: which one is that of qubit ${qid} cannot be told`;
  if (design !== undefined) return `${untold} by their design frequencies`;
  const pair = at.length === resonators ? indistinct(at) : undefined;
  const why = pair
    ? `, for those at ${pair.map((frequency) => frequency.toFixed(3)).join(' and ')} GHz may be one`
    : '';
  return `${untold} without design frequencies${why}`;
}
