import { describe, expect, test } from 'vitest';
import type { PairPlan, PairRequest, Wiring } from '../../../../shared/science/schedulers/model.ts';
import { pairSchedule } from '../../../../shared/science/schedulers/pairs.ts';
import { repetitions } from '../../../support/repetitions.ts';
import {
  mixedBoxes,
  seeded,
  squareChip,
  twoPerModule,
  undirected,
  wholeChip,
} from '../../../support/scheduled-chips.ts';

/** Patterns by their seeds. The short list has those that come closest to the bound, even with a weaker search. */
const patterns = repetitions({
  quick: [2, 5, 15, 18, 31, 32, 53, 61, 67, 69, 81, 99],
  soak: Array.from({ length: 100 }, (_, index) => index + 1),
});
const faultRates = [0.02, 0.05, 0.1, 0.2, 0.35];

/** A chip on which random qubits are excluded and random couplings are missing. */
function faulty(size: number, seed: number, wiring: Wiring | null): PairRequest {
  const random = seeded(seed);
  const rate = faultRates[seed % faultRates.length] ?? 0;
  const { qids, topology } = squareChip(size);
  const candidates = qids.filter(() => random() >= rate);
  const alive = topology.couplings.filter(() => random() >= rate / 2);
  const couplings = alive.flatMap(([a, b]) => [`${a}-${b}`, `${b}-${a}`]);
  return { ...wholeChip(size, wiring), couplings, candidates };
}

function expectHonest(plan: PairPlan, request: PairRequest): void {
  const edges = new Set(
    request.couplings.map((id) =>
      id
        .split('-')
        .toSorted((a, b) => Number(a) - Number(b))
        .join('-'),
    ),
  );
  const scheduled = plan.groups.flat().map(undirected);
  const excluded = plan.excluded.map(({ target }) =>
    target
      .split('-')
      .toSorted((a, b) => Number(a) - Number(b))
      .join('-'),
  );
  expect([...scheduled, ...excluded].toSorted()).toEqual([...edges].toSorted());
  expect(plan.schedule).toEqual(plan.groups.map((group) => group.map((pair) => [pair.join('-')])));

  const designed = new Set(request.design?.map((pair) => pair.join('-')));
  expect(plan.schedule.flat(2).every((id) => designed.has(id))).toBe(true);

  const together = new Set(
    plan.schedule.flatMap((step) =>
      step.flat().flatMap((one) => step.flat().map((other) => `${one} ${other}`)),
    ),
  );
  expect(plan.conflicts.filter(({ a, b }) => together.has(`${a} ${b}`))).toEqual([]);
  expect(Math.max(...plan.groups.map((group) => group.length))).toBeLessThanOrEqual(10);
  const held = plan.schedule.map(holdsIntra);
  expect(held).toEqual(held.toSorted((a, b) => Number(b) - Number(a))); // inside a multiplexer first
  expectNoTail(plan);
}

function holdsIntra(step: readonly (readonly string[])[]): boolean {
  return step.flat().some((id) => {
    const [control, target] = id.split('-').map((qid) => Math.floor(Number(qid) / 4));
    return control === target;
  });
}

/** No pair of a group could be moved to a group of the same kind that is smaller by two. */
function expectNoTail(plan: PairPlan): void {
  const clash = new Set(plan.conflicts.flatMap(({ a, b }) => [`${a} ${b}`, `${b} ${a}`]));
  for (const larger of plan.schedule) {
    for (const smaller of plan.schedule) {
      if (larger.length - smaller.length < 2 || holdsIntra(larger) !== holdsIntra(smaller)) continue;
      const movable = larger
        .flat()
        .filter((id) => !smaller.flat().some((other) => clash.has(`${id} ${other}`)));
      expect(movable).toEqual([]);
    }
  }
}

describe.each([64, 144])(`%i qubits with ${patterns.length} random fault patterns`, (size) => {
  test.each<[string, Wiring | null]>([
    ['independent multiplexers', null],
    ['two multiplexers per module', twoPerModule(size)],
    ['mixed boxes', mixedBoxes(size)],
  ])('%s: at most 1.2 times the lower bound, each pair once, no conflict, balanced groups', (_, wiring) => {
    for (const seed of patterns) {
      const request = faulty(size, seed, wiring);
      const plan = pairSchedule(request);
      expect(plan.groups.length).toBeLessThanOrEqual(1.2 * plan.metadata.lower_bound);
      expectHonest(plan, request);
    }
  });
});

describe.each([16, 256, 1024])('%i qubits', (size) => {
  test('have valid groups, the same every time', () => {
    const request = faulty(size, 3, mixedBoxes(size));
    const plan = pairSchedule(request);
    expectHonest(plan, request);
    expect(pairSchedule({ ...request, couplings: request.couplings.toReversed() })).toEqual(plan);
    const inverse = pairSchedule({ ...request, inverse: true });
    expect(inverse.groups).toEqual(plan.groups.map((group) => group.map(([c, t]) => [t, c])));
  });
});
