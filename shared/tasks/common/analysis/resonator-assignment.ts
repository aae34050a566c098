import { placeOrder, QUBITS_PER_MUX, RESONATOR_ORDERS } from '../../../science/conventions/multiplexer.ts';
import { USUAL_KAPPA_GHZ } from '../../../science/conventions/readout.ts';
import type { AnalysisInput } from './model.ts';

/** Prior knowledge about the resonators of a line. */
export interface LinePlan {
  /** Number of resonators. */
  slots: number;
  /** Design frequencies in ascending order, GHz. */
  design?: readonly number[];
}

/** Index of the resonator that belongs to a slot; or that it is missing or ambiguous. */
export type Slot = number | 'missing' | 'unclear';

/** Minimum probability of an assignment relative to all of them. */
const CERTAIN = 0.98;
/** Lines closer than this may belong to one resonator: a wide one, or one that noise splits, GHz. */
const DISTINCT_GHZ = 5 * USUAL_KAPPA_GHZ;
/** Standard deviation of a resonator from its design, and of the common offset of a line, GHz. */
const OFF_DESIGN_GHZ = 0.02;
const OFF_TOGETHER_GHZ = 0.03;
/** Cost of an empty slot together with a line that belongs to no slot, in units of the log-likelihood. */
const STRAY_LINE = 12;
/** With more slots, stray lines are not considered, because there would be too many assignments. */
const MAX_SLOTS_WITH_STRAYS = 6;

/** A named pattern, or a list of places: `3,0,2,1`. */
export function assignmentOrder(pattern: string): readonly number[] | undefined {
  const named: Readonly<Record<string, readonly number[]>> = RESONATOR_ORDERS;
  if (Object.hasOwn(named, pattern)) return named[pattern];
  return placeOrder(pattern);
}

/** Lines with their slots, both in ascending order. */
type Match = readonly { line: number; slot: number }[];

/** Assigns resonators to slots, both by ascending frequency: by the design frequencies, or by order alone. */
export function assignSlots(found: readonly number[], { slots, design }: LinePlan): Slot[] {
  return design === undefined ? slotsByOrder(found, slots) : slotsByDesign(found, design);
}

/**
 * Without a plan, an assignment is possible only if every resonator is present. If one is missing, then for any gaps
 * there is a plan in which another one is missing that looks the same: an inner resonator of an even plan, the last one
 * of an uneven plan.
 */
function slotsByOrder(found: readonly number[], slots: number): Slot[] {
  const all = Array.from({ length: slots }, (_, slot) => slot);
  if (found.length === 0) return all.map(() => 'missing');
  const isComplete = found.length === slots && indistinct(found) === undefined;
  return all.map((slot) => (isComplete ? slot : 'unclear'));
}

/** The first two lines, in ascending order, that may be one. */
function indistinct(found: readonly number[]): readonly [number, number] | undefined {
  return found
    .slice(1)
    .map((upper, index) => [found[index] ?? Number.NaN, upper] as const)
    .find(([lower, upper]) => upper - lower < DISTINCT_GHZ);
}

/**
 * Compares all possible sets of missing resonators. An assignment shared by all likely ones is certain; the others are
 * ambiguous.
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

/** A possible assignment of lines; `cost` is its negative log-likelihood, up to a common constant. */
interface Way {
  match: Match;
  cost: number;
}

function waysByDesign(found: readonly number[], design: readonly number[]): Way[] {
  return matchesOf(found.length, design.length, design.length <= MAX_SLOTS_WITH_STRAYS).map((match) => ({
    match,
    cost: designCost(found, match, design) + STRAY_LINE * (found.length - match.length),
  }));
}

/** All assignments of lines to slots in order; without strays every line has a slot. */
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

/** Cost relative to design frequencies from which all resonators may deviate by a common offset. */
function designCost(found: readonly number[], match: Match, design: readonly number[]): number {
  const residuals = match.map(({ line, slot }) => (found[line] ?? 0) - (design[slot] ?? 0));
  const sum = residuals.reduce((total, value) => total + value, 0);
  const ratio = (OFF_DESIGN_GHZ / OFF_TOGETHER_GHZ) ** 2;
  const offset = sum / (residuals.length + ratio);
  const squares = residuals.reduce((total, value) => total + (value - offset) ** 2, 0);
  return squares / (2 * OFF_DESIGN_GHZ ** 2) + offset ** 2 / (2 * OFF_TOGETHER_GHZ ** 2);
}

/** How the resonators of a line are identified. */
export interface Assignment {
  resonators: number;
  /** Places on the multiplexer by ascending frequency. */
  order: readonly number[];
  /** Design frequencies in ascending order. */
  design?: readonly number[];
  /** Whether the design was given for this measurement; an earlier assignment is then ignored. */
  isNamed: boolean;
}

/** The default pattern; with it the order comes from the wiring. */
const UNNAMED = 'default';

/**
 * Reads how resonators are assigned, or returns a message if they cannot be. A backend with design frequencies in its
 * wiring file delivers them as `design_frequency` over `place`. A named pattern with another order means that the line is
 * not built as in the wiring, whose frequencies are then ignored.
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

/** The places by ascending frequency with their frequencies, if each place has a different one. */
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

/** Design frequency of each place according to the wiring; NaN if it is unknown. */
function wiredFrequencies({ variables, coordinates }: AnalysisInput['dataset']): number[] {
  const frequencies = variables.design_frequency?.values ?? [];
  const places = coordinates.place?.values ?? frequencies.map((_, place) => place);
  return frequencies.map((_, place) => frequencies[places.indexOf(place)] ?? Number.NaN);
}

/** The lines found, in ascending order, and prior knowledge about the one to identify. GHz. */
export interface SeenLines {
  at: readonly number[];
  /** Earlier frequency of this qubit's resonator. */
  earlier: number | undefined;
  /** Maximum distance from the earlier frequency. */
  reach: number;
}

/**
 * Identifies a qubit's line: by given design frequencies; else by its earlier frequency, unless the wiring's design or
 * the order of all lines contradicts it; else by these.
 * @returns the index of the line, or a message if none is identified
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
  if (slot < 0) return `the assignment has no resonator for position ${place} of the line`;
  // An order with a different number of places than the line has does not identify its lines.
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
      const found = isOfAnother ? 'the one of another qubit is expected' : 'it is not expected';
      const reason =
        design === undefined
          ? `${found} by their order; design frequencies decide`
          : `${found} by the design of the wiring; named design frequencies decide`;
      return `${seen}: the one of qubit ${qid} was ${before}, where ${reason}`;
    }
    if (near.length === 0 && at.length < resonators) {
      return `${seen}: the one of qubit ${qid}, ${before}, is missing`;
    }
  }
  if (given === 'missing') return `${seen}: the one of qubit ${qid} is missing`;
  if (given !== 'unclear') return given;
  const unclear = `${seen}: which one belongs to qubit ${qid} cannot be determined`;
  if (design !== undefined) return `${unclear} by their design frequencies`;
  const pair = at.length === resonators ? indistinct(at) : undefined;
  const why = pair
    ? `, because those at ${pair.map((frequency) => frequency.toFixed(3)).join(' and ')} GHz may be one`
    : '';
  return `${unclear} without design frequencies${why}`;
}
