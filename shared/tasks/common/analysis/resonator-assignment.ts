import { placeOrder, QUBITS_PER_MUX, RESONATOR_ORDERS } from '../../../science/conventions/multiplexer.ts';
import type { AnalysisInput } from './model.ts';

/** What is known of the resonators of a line before they are measured. */
export interface LinePlan {
  /** How many there are. */
  slots: number;
  /** The swept frequencies, in whose middle they are taken to lie where nothing more is known. GHz. */
  band: { from: number; to: number };
  /** Design frequencies in rising order, GHz. */
  design?: readonly number[];
}

/** Index of the resonator that belongs to a slot; or that there is none, or that it cannot be told. */
export type Slot = number | 'missing' | 'unclear';

/** An assignment must be so much more likely than all others together. */
const CERTAIN = 0.98;
/** Resonators lie off an even comb by this part of its spacing, and the comb off the middle of the band. */
const OFF_COMB = 0.08;
const OFF_MIDDLE = 0.25;
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
 * Tells which resonator belongs to which slot, both by rising frequency. All ways to leave out what is missing are
 * compared: by the design frequencies, or, where order alone must decide and one is missing, by how evenly the resonators
 * lie in the band. What is the same in all likely ways is certain, the rest is not told.
 */
export function assignSlots(found: readonly number[], plan: LinePlan): Slot[] {
  const { slots, design } = plan;
  const all = Array.from({ length: slots }, (_, slot) => slot);
  if (design === undefined && found.length === slots) return all;
  // Two of four lie anywhere.
  if (design === undefined && (found.length !== slots - 1 || found.length < 3))
    return all.map(() => 'unclear');
  const strays = design !== undefined && slots <= MOST_SLOTS_WITH_STRAYS;
  const matches = matchesOf(found.length, slots, strays);
  const costs = matches.map((match) =>
    design === undefined
      ? combCost(found, match, plan)
      : designCost(found, match, design) + STRAY_LINE * (found.length - match.length),
  );
  const least = Math.min(...costs);
  const weights = costs.map((cost) => Math.exp(least - cost));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return all.map((slot): Slot => {
    const likely = new Map<Slot, number>();
    for (const [index, match] of matches.entries()) {
      const line = match.find((each) => each.slot === slot)?.line ?? 'missing';
      likely.set(line, (likely.get(line) ?? 0) + (weights[index] ?? 0) / total);
    }
    return [...likely].find(([, share]) => share > CERTAIN)?.[0] ?? 'unclear';
  });
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

/** Of an even comb with any spacing, its middle near that of the band. */
function combCost(found: readonly number[], match: Match, { slots, band }: LinePlan): number {
  const middle = (band.from + band.to) / 2;
  const points = match.map(({ line, slot }) => ({
    place: slot - (slots - 1) / 2,
    y: (found[line] ?? 0) - middle,
  }));
  const n = points.length;
  const sum = (of: (point: (typeof points)[number]) => number) =>
    points.reduce((total, point) => total + of(point), 0);
  const [x, y] = [sum(({ place }) => place) / n, sum((point) => point.y) / n];
  const spacing = sum((point) => (point.place - x) * (point.y - y)) / sum(({ place }) => (place - x) ** 2);
  // The middle of the comb, drawn to that of the band as much as both are uncertain.
  const own = y - spacing * x;
  const [ownWeight, bandWeight] = [n / OFF_COMB ** 2, 1 / OFF_MIDDLE ** 2];
  const offset = (own * ownWeight) / (ownWeight + bandWeight);
  const squares = sum((point) => (point.y - offset - spacing * point.place) ** 2) / OFF_COMB ** 2;
  return (squares + (offset / OFF_MIDDLE) ** 2) / (2 * spacing ** 2) + n * Math.log(spacing);
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
}

/** Reads how resonators are assigned, or a sentence why they cannot be. */
export function assignmentOf({
  runParameters: run,
}: Pick<AnalysisInput, 'runParameters'>): Assignment | string {
  const pattern = run.resonator_assignment_pattern?.value ?? 'default';
  const order = assignmentOrder(String(pattern));
  if (order === undefined) return `there is no resonator_assignment_pattern ${JSON.stringify(pattern)}`;
  const wanted = run.num_resonators?.value;
  const resonators = typeof wanted === 'number' ? wanted : order.length;
  const given = run.resonator_design_frequencies?.value;
  if (!Array.isArray(given) || given.length === 0) return { resonators, order };
  const design = given.map(Number);
  if (
    design.length !== resonators ||
    !design.every(Number.isFinite) ||
    new Set(design).size < design.length
  ) {
    return `resonator_design_frequencies has to name ${resonators} different frequencies, one for each place`;
  }
  const places = design.map((_, place) => place).sort((a, b) => (design[a] ?? 0) - (design[b] ?? 0));
  return { resonators, order: places, design: places.map((place) => design[place] ?? 0) };
}

/** Lines that were seen, in rising order, and what is known of the one that is looked for. GHz. */
export interface SeenLines {
  at: readonly number[];
  band: { from: number; to: number };
  /** Where the resonator of this qubit was before. */
  earlier: number | undefined;
  /** As far from there it may be. */
  reach: number;
}

/**
 * Which of the lines is that of a qubit: by design frequencies; else by where it was before; else by its place in the
 * order of all.
 * @returns the index of the line, or a sentence why none is
 */
export function ownLine(
  qid: string,
  { at, band, earlier, reach }: SeenLines,
  assignment: Assignment,
): number | string {
  const { resonators, order, design } = assignment;
  const place = Number(qid) % QUBITS_PER_MUX;
  const slot = order.indexOf(place);
  const seen = `${at.length} of ${resonators} resonators were found${at.length > 0 ? `, at ${at.map((frequency) => frequency.toFixed(3)).join(', ')} GHz` : ''}`;
  if (slot < 0) return `the assignment has no resonator for place ${place} of the line`;
  const given = assignSlots(at, { slots: resonators, band, ...(design && { design }) })[slot] ?? 'unclear';
  if (design === undefined && earlier !== undefined) {
    const near = at.flatMap((frequency, index) => (Math.abs(frequency - earlier) < reach ? [index] : []));
    const before = `at ${earlier.toFixed(3)} GHz before`;
    const [own] = near;
    if (near.length === 1 && own !== undefined) {
      if (at.length !== resonators || given === own) return own;
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
