import type { Topology } from '../topology/model.ts';
import { isControl } from '../topology/rules.ts';
import type { DirectionMethod, Pair, PairFilter } from './model.ts';
import { couplingId } from './pair-filters.ts';

/** What is known about the direction of a chip's pairs. */
export interface DirectionKnowledge {
  /** Ids of the chip's couplings. */
  couplings: ReadonlySet<string>;
  /** The topology's `[control, target]` pairs; null if it sets no direction. */
  design: Topology['couplings'] | null;
  /** Measured qubit frequencies, GHz. */
  frequencies: Readonly<Record<string, number | null>>;
  places: Topology['qubits'];
  inverse: boolean;
}

/**
 * Uses the direction of the topology; without one, measured frequencies; without these, the parity of the positions.
 */
export function directionMethod(
  knowledge: Pick<DirectionKnowledge, 'design' | 'frequencies'>,
): DirectionMethod {
  if (knowledge.design) return 'design';
  return Object.values(knowledge.frequencies).some(Number.isFinite) ? 'measured' : 'parity';
}

/**
 * Puts the control first: as the topology lists the pair; or the qubit of lower measured frequency; or the one on an
 * even field (row + column), which has the lower frequency by design. `inverse` reverses every pair. Pairs of unknown
 * direction, and pairs that the chip has only in the opposite direction, are removed.
 */
export function frequencyDirectionality(knowledge: DirectionKnowledge): PairFilter {
  const { couplings, inverse } = knowledge;
  const directionOf = directions[directionMethod(knowledge)](knowledge);
  return {
    name: 'FrequencyDirectionality',
    judge(pair) {
      const found = directionOf(pair);
      if ('reason' in found) return found;
      const directed = inverse ? reversed(found) : found;
      const id = couplingId(directed);
      return couplings.has(id) ? directed : { reason: `The chip has no coupling ${id}, only the reverse.` };
    },
  };
}

type Direction = PairFilter['judge'];

const directions: Record<DirectionMethod, (knowledge: DirectionKnowledge) => Direction> = {
  design({ design }) {
    const designed = new Set(design?.map((pair) => pair.join('-')));
    return (pair) =>
      [pair, reversed(pair)].find((either) => designed.has(couplingId(either))) ?? {
        reason: `The chip's topology does not couple qubits ${pair.join(' and ')}.`,
      };
  },
  measured: ({ frequencies }) =>
    lowerControls(
      (qid) => frequencies[qid],
      (qid) => `Qubit ${qid} has no measured frequency, so the direction of this pair is unknown.`,
      (pair, ghz) =>
        `Qubits ${pair.join(' and ')} have the same frequency (${ghz} GHz), so neither can control.`,
    ),
  parity: ({ places }) =>
    lowerControls(
      (qid) => places[qid] && (isControl(places[qid]) ? 0 : 1),
      (qid) => `Neither the frequency of qubit ${qid} is known nor its place in the topology.`,
      (pair) =>
        `Qubits ${pair.join(' and ')} are on fields of the same parity, and no frequency has been measured.`,
    ),
};

/** The qubit with the lower number controls. */
function lowerControls(
  numberOf: (qid: string) => number | null | undefined,
  unknown: (qid: string) => string,
  equal: (pair: Pair, number: number) => string,
): Direction {
  return (pair) => {
    const [one, other] = [numberOf(pair[0]), numberOf(pair[1])];
    if (!isKnown(one)) return { reason: unknown(pair[0]) };
    if (!isKnown(other)) return { reason: unknown(pair[1]) };
    if (one === other) return { reason: equal(pair, one) };
    return one < other ? pair : reversed(pair);
  };
}

function isKnown(number: number | null | undefined): number is number {
  return Number.isFinite(number);
}

function reversed([control, target]: Pair): Pair {
  return [target, control];
}
