import { placeOrder, QUBITS_PER_MUX, RESONATOR_ORDERS } from '../../../science/conventions/multiplexer.ts';
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
/** Resonators lie off an even comb by this part of its spacing. */
const OFF_COMB = 0.08;
/** Fewer lines lie on an even comb anyhow. */
const FEWEST_OF_COMB = 3;
/** Resonators lie off their design by this, and all of a line together, GHz. */
const OFF_DESIGN_GHZ = 0.02;
const OFF_TOGETHER_GHZ = 0.03;
/** What it costs that a slot is empty although a line of no slot is there, in units of the log-likelihood. */
const STRAY_LINE = 12;
/** The same where the comb is but a guess: lines that are planned unevenly are no strays, two that lie on each other are. */
const STRAY_OF_COMB = 24;
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
 * Tells which resonator belongs to which slot, both by rising frequency. All ways to leave out what is missing are
 * compared: by the design frequencies, or, where order alone must decide, by how evenly the resonators lie. That tells
 * which one is missing between others, but nothing of the first and the last. What is the same in all likely ways is
 * certain, the rest is not told.
 */
export function assignSlots(found: readonly number[], { slots, design }: LinePlan): Slot[] {
  const all = Array.from({ length: slots }, (_, slot) => slot);
  const ways = design === undefined ? waysByOrder(found, slots) : waysByDesign(found, design);
  const least = Math.min(...ways.map(({ cost }) => cost));
  const weights = ways.map(({ cost }) => Math.exp(least - cost));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return all.map((slot): Slot => {
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

/** None where more than one is missing: the others lie anywhere. */
function waysByOrder(found: readonly number[], slots: number): Way[] {
  const complete = found.map((_, line) => ({ line, slot: line }));
  const few = slots - 1 < FEWEST_OF_COMB;
  if (found.length === slots && few) return [{ match: complete, cost: 0 }];
  if (few || found.length < slots - 1 || found.length > slots) return [];
  const withOneMissing = (lines: readonly number[]) =>
    Array.from({ length: slots }, (_, missing) =>
      lines.map((line, index) => ({ line, slot: index < missing ? index : index + 1 })),
    );
  const indices = found.map((_, line) => line);
  const ways = (matches: readonly Match[], stray: number) =>
    matches.map((match): Way => ({ match, cost: combCost(found, match) + stray }));
  if (found.length < slots) return ways(withOneMissing(indices), 0);
  const strays = indices.flatMap((stray) => withOneMissing(indices.filter((line) => line !== stray)));
  return [...ways([complete], 0), ...ways(strays, STRAY_OF_COMB)];
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

/** Of an even comb with any spacing, anywhere. */
function combCost(found: readonly number[], match: Match): number {
  const n = match.length;
  const sum = (of: (point: Match[number]) => number) => match.reduce((total, point) => total + of(point), 0);
  const at = ({ line }: Match[number]) => found[line] ?? 0;
  const [middle, centre] = [sum(({ slot }) => slot) / n, sum(at) / n];
  const spacing =
    sum((point) => (point.slot - middle) * (at(point) - centre)) / sum(({ slot }) => (slot - middle) ** 2);
  const squares = sum((point) => (at(point) - centre - spacing * (point.slot - middle)) ** 2);
  const span = (found.at(-1) ?? 0) - (found[0] ?? 0);
  return squares / (2 * (OFF_COMB * spacing) ** 2) + n * Math.log(spacing / span);
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
  /** Whether the design was named for this measurement: it decides against an earlier assignment then. */
  isNamed: boolean;
}

/**
 * Reads how resonators are assigned, or a sentence why they cannot be. A backend that has the design frequencies in its
 * wiring file delivers them as `design_frequency` over `place`; which place is which the pattern says.
 */
export function assignmentOf({
  runParameters: run,
  dataset,
}: Pick<AnalysisInput, 'runParameters' | 'dataset'>): Assignment | string {
  const pattern = run.resonator_assignment_pattern?.value ?? 'default';
  const order = assignmentOrder(String(pattern));
  if (order === undefined) return `there is no resonator_assignment_pattern ${JSON.stringify(pattern)}`;
  const wanted = run.num_resonators?.value;
  const resonators = typeof wanted === 'number' ? wanted : order.length;
  const given = run.resonator_design_frequencies?.value;
  if (!Array.isArray(given) || given.length === 0) {
    const wired = rising(dataset.variables.design_frequency?.values ?? []);
    const isUsable = wired.length === resonators && wired.every(Number.isFinite);
    return { resonators, order, isNamed: false, ...(isUsable && { design: wired }) };
  }
  const design = given.map(Number);
  if (
    design.length !== resonators ||
    !design.every(Number.isFinite) ||
    new Set(design).size < design.length
  ) {
    return `resonator_design_frequencies has to name ${resonators} different frequencies, one for each place`;
  }
  const places = design.map((_, place) => place).sort((a, b) => (design[a] ?? 0) - (design[b] ?? 0));
  return { resonators, order: places, design: places.map((place) => design[place] ?? 0), isNamed: true };
}

/** Each frequency once; null counts as none. */
function rising(frequencies: readonly (number | null)[]): number[] {
  const numbers = frequencies.flatMap((frequency) => frequency ?? []);
  return [...new Set(numbers)].sort((a, b) => a - b);
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
 * Which of the lines is that of a qubit: by design frequencies that were named; else by where it was before; else by
 * those of the wiring, or by its place in the order of all.
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
  const given = assignSlots(at, { slots: resonators, ...(design && { design }) })[slot] ?? 'unclear';
  if (!isNamed && earlier !== undefined) {
    const near = at.flatMap((frequency, index) => (Math.abs(frequency - earlier) < reach ? [index] : []));
    const before = `at ${earlier.toFixed(3)} GHz before`;
    const [own] = near;
    if (near.length === 1 && own !== undefined) {
      if (at.length !== resonators || typeof given !== 'number' || given === own) return own;
      return `${seen}: the one of qubit ${qid} was ${before}, where by their order that of another qubit lies; design frequencies decide`;
    }
    if (near.length === 0 && at.length < resonators) {
      return `${seen}: the one of qubit ${qid}, ${before}, is missing`;
    }
  }
  if (given === 'missing') return `${seen}: the one of qubit ${qid} is missing`;
  if (given === 'unclear') {
    return `${seen}: which one is that of qubit ${qid} cannot be told ${design === undefined ? 'without design frequencies' : 'by their design frequencies'}`;
  }
  return given;
}
