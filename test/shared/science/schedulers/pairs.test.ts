import { describe, expect, test } from 'vitest';
import { type PairRequest, SchedulingError } from '../../../../shared/science/schedulers/model.ts';
import { fidelity } from '../../../../shared/science/schedulers/pair-filters.ts';
import { pairSchedule } from '../../../../shared/science/schedulers/pairs.ts';
import { generatedTopology } from '../../../../shared/science/topology/rules.ts';
import {
  mixedBoxes,
  squareChip,
  twoPerModule,
  undirected,
  wholeChip,
} from '../../../support/scheduled-chips.ts';

/** Three qubits in a row, each coupled to the next, in one multiplexer. */
const row: PairRequest = {
  couplings: ['0-1', '1-0', '1-2', '2-1'],
  frequencies: {},
  design: null,
  places: { 0: { row: 0, col: 0 }, 1: { row: 0, col: 1 }, 2: { row: 0, col: 2 } },
  muxes: { 0: ['0', '1', '2'] },
  wiring: null,
};

function isIntra([control, target]: readonly [string, string]): boolean {
  return Math.floor(Number(control) / 4) === Math.floor(Number(target) / 4);
}

describe('the direction of a pair', () => {
  test('follows the design of the topology', () => {
    const plan = pairSchedule({
      ...row,
      design: [
        [1, 0],
        [1, 2],
      ],
      frequencies: { 0: 4, 1: 5, 2: 6 },
    });
    expect(plan.groups).toEqual([[['1', '0']], [['1', '2']]]);
    expect(plan.direction_method).toBe('design');
  });

  test('otherwise goes from the lower measured frequency to the higher', () => {
    const plan = pairSchedule({ ...row, frequencies: { 0: 4.9, 1: 4.8, 2: 4.7 } });
    expect(plan.groups).toEqual([[['1', '0']], [['2', '1']]]);
    expect(plan.direction_method).toBe('measured');
  });

  test('otherwise goes from the even field of the grid to the odd one', () => {
    const plan = pairSchedule(row);
    expect(plan.groups).toEqual([[['0', '1']], [['2', '1']]]);
    expect(plan.direction_method).toBe('parity');
  });

  test.each([16, 256])('by parity equals that of the design on a chip of %i qubits of any name', (size) => {
    const whole = wholeChip(size);
    expect(pairSchedule({ ...whole, design: null }).groups).toEqual(pairSchedule(whole).groups);
  });

  test.each([
    ['design', wholeChip(64)],
    ['measured', { ...row, frequencies: { 0: 4.9, 1: 4.8, 2: 4.7 } }],
    ['parity', row],
  ])('%s: inverse is the exact reverse', (method, request) => {
    const forward = pairSchedule(request);
    const inverse = pairSchedule({ ...request, inverse: true });
    expect(forward.direction_method).toBe(method);
    expect(inverse.groups).toEqual(forward.groups.map((group) => group.map(([c, t]) => [t, c])));
  });

  test.each<[string, Partial<PairRequest>, string]>([
    [
      'equal frequencies',
      { frequencies: { 0: 5, 1: 5, 2: 4 } },
      'Qubits 0 and 1 have the same frequency (5 GHz), so neither can control.',
    ],
    [
      'an unknown frequency',
      { frequencies: { 0: null, 1: 5, 2: 4 } },
      'Qubit 0 has no measured frequency, so the direction of this pair is unknown.',
    ],
    [
      'a frequency that is not a number',
      { frequencies: { 0: Number.NaN, 1: 5, 2: 4 } },
      'Qubit 0 has no measured frequency, so the direction of this pair is unknown.',
    ],
    [
      'a pair that the design lacks',
      { design: [[1, 2]] },
      "The chip's topology does not couple qubits 0 and 1.",
    ],
    [
      'no place',
      { places: { 1: { row: 0, col: 1 }, 2: { row: 0, col: 2 } } },
      'Neither the frequency of qubit 0 is known nor its place in the topology.',
    ],
    [
      'places of one parity',
      { places: { 0: { row: 0, col: 3 }, 1: { row: 0, col: 1 }, 2: { row: 0, col: 2 } } },
      'Qubits 0 and 1 are on fields of the same parity, and no frequency has been measured.',
    ],
    [
      'a coupling that exists only in the opposite direction',
      { couplings: ['1-0', '1-2', '2-1'] },
      'The chip has no coupling 0-1, only the reverse.',
    ],
  ])('%s: the pair is excluded with the reason', (_, changes, reason) => {
    const plan = pairSchedule({ ...row, ...changes });
    expect(plan.excluded).toEqual([{ target: changes.couplings ? '1-0' : '0-1', reason }]);
    expect(plan.groups.flat().map(undirected)).toEqual(['1-2']);
  });
});

describe('the number of groups', () => {
  // The first number is that of chunks of a greedy colouring (QDash). A group has at most 10 pairs unless stated
  // otherwise.
  test.each<[string, number, number, PairRequest]>([
    ['64 qubits, independent', 16, 12, wholeChip(64)],
    ['64 qubits, independent, unlimited', 12, 12, { ...wholeChip(64), max_parallel_ops: 112 }],
    ['64 qubits, two per module', 20, 20, wholeChip(64, twoPerModule(64))],
    ['64 qubits, mixed boxes', 22, 20, wholeChip(64, mixedBoxes(64))],
    ['144 qubits, independent', 30, 27, wholeChip(144)],
    ['144 qubits, independent, unlimited', 12, 12, { ...wholeChip(144), max_parallel_ops: 264 }],
    ['144 qubits, two per module', 31, 28, wholeChip(144, twoPerModule(144))],
    [
      '144 qubits, two per module, unlimited',
      22,
      22,
      { ...wholeChip(144, twoPerModule(144)), max_parallel_ops: 264 },
    ],
    ['256 qubits, two per module', 60, 49, wholeChip(256, twoPerModule(256))],
    ['1024 qubits, two per module', 206, 199, wholeChip(1024, twoPerModule(1024))],
  ])('%s: %i by chunks, %i here', (_, _chunks, groups, request) => {
    expect(pairSchedule(request).groups).toHaveLength(groups);
  });
});

describe('pairs inside a multiplexer', () => {
  test('come first, and pairs between multiplexers fill up their groups', () => {
    const { groups, metadata } = pairSchedule(wholeChip(64));
    expect(metadata).toMatchObject({
      total_pairs: 112,
      scheduled_pairs: 112,
      intra_pairs: 64,
      inter_pairs: 48,
    });
    const intra = groups.map((group) => group.filter(isIntra).length);
    const lastIntra = intra.findLastIndex((count) => count > 0);
    expect(intra.slice(0, lastIntra + 1)).not.toContain(0);
    expect(lastIntra).toBeLessThan(groups.length - 1);
    expect(groups.slice(0, lastIntra + 1).some((group) => !group.every(isIntra))).toBe(true);
  });

  test('do not mix with the others if that is requested', () => {
    const { groups } = pairSchedule({ ...wholeChip(64), strategy: 'intra_then_inter' });
    const kinds = groups.map((group) => new Set(group.map(isIntra)));
    expect(kinds.every((kind) => kind.size === 1)).toBe(true);
    expect(kinds.map((kind) => kind.has(true))).toEqual([...Array(7).fill(true), ...Array(8).fill(false)]);
  });
});

describe('filters', () => {
  test('report the numbers of pairs before and after, and the reason for each removed pair', () => {
    const plan = pairSchedule({
      ...row,
      candidates: ['0', '1', '2'],
      filters: [fidelity({ minimum: 0.9, values: { 0: 0.99, 1: 0.95, 2: 0.8 } })],
    });
    expect(plan.filters.map(({ name, input, output }) => [name, input, output])).toEqual([
      ['CandidateQubit', 2, 2],
      ['FrequencyDirectionality', 2, 2],
      ['MuxMembership', 2, 2],
      ['Fidelity', 2, 1],
    ]);
    expect(plan.excluded).toEqual([
      { target: '2-1', reason: 'Qubit 2 has x90_gate_fidelity 0.8, less than 0.9.' },
    ]);
  });

  test('of fidelity accept another key, and exclude qubits without a value', () => {
    const filters = [
      fidelity({ minimum: 0.9, key: 'average_gate_fidelity', values: { 0: 0.9, 1: 0.9, 2: null } }),
    ];
    const plan = pairSchedule({ ...row, filters });
    expect(plan.groups).toEqual([[['0', '1']]]);
    expect(plan.excluded).toEqual([{ target: '2-1', reason: 'Qubit 2 has no average_gate_fidelity.' }]);
  });

  test('keep only the candidates', () => {
    const plan = pairSchedule({ ...row, candidates: ['0', '1'] });
    expect(plan.excluded).toEqual([{ target: '1-2', reason: 'Qubit 2 is not among the candidates.' }]);
  });

  test('exclude qubits without a multiplexer, and multiplexers without wiring', () => {
    const without = pairSchedule({ ...row, muxes: { 0: ['0', '1'] } });
    expect(without.excluded).toEqual([
      { target: '2-1', reason: 'Qubit 2 belongs to no multiplexer of the chip.' },
    ]);
    const unwired = pairSchedule({ ...row, wiring: {} });
    expect(unwired.excluded.map(({ target }) => target)).toEqual(['0-1', '2-1']);
    expect(unwired.excluded[0]?.reason).toContain("MUX 0, which has no entry in the chip's wiring.yaml");
  });

  test('may exclude all pairs: the schedule is empty and contains the reasons', () => {
    const plan = pairSchedule({ ...row, candidates: [] });
    expect(plan).toMatchObject({ schedule: [], groups: [], conflicts: [] });
    expect(plan.excluded).toHaveLength(2);
  });
});

describe('conflicts', () => {
  test('are explained', () => {
    const { couplings, muxes, topology } = squareChip(16);
    const plan = pairSchedule({
      couplings,
      muxes,
      frequencies: {},
      design: topology.couplings,
      wiring: twoPerModule(16),
      candidates: ['0', '1', '2', '3', '4', '5', '10', '11'],
    });
    const reasons = new Map(plan.conflicts.map(({ a, b, reason }) => [`${a} ${b}`, reason]));
    expect(reasons.get('0-1 0-2')).toBe('Both use qubit 0.');
    expect(reasons.get('0-1 3-2')).toBe('Both use MUX 0.');
    expect(reasons.get('0-2 5-4') ?? reasons.get('0-2 4-5')).toBe(
      'MUX 0 for control and readout and MUX 1 for control and readout use the module Q0A.',
    );
  });

  test('with spectators exist between pairs on neighbouring qubits', () => {
    const { groups, conflicts } = pairSchedule({ ...wholeChip(64), spectators: true });
    const coupled = new Set(wholeChip(64).couplings);
    for (const group of groups) {
      for (const one of group) {
        for (const other of group) {
          if (one === other) continue;
          expect(one.some((qid) => other.some((near) => coupled.has(`${qid}-${near}`)))).toBe(false);
        }
      }
    }
    expect(conflicts.map(({ reason }) => reason)).toContain('Qubit 3 is a neighbour of qubit 6.');
    const without = pairSchedule(wholeChip(64)).groups.some((group) =>
      group.some((one) =>
        group.some((other) => one !== other && one.some((a) => other.some((b) => coupled.has(`${a}-${b}`)))),
      ),
    );
    expect(without).toBe(true);
  });
});

describe('a request', () => {
  test.each([0, -1, 2.5])('with max_parallel_ops %d is refused', (max_parallel_ops) => {
    expect(() => pairSchedule({ ...row, max_parallel_ops })).toThrow(SchedulingError);
  });

  test('without couplings is refused', () => {
    expect(() => pairSchedule({ ...row, couplings: [] })).toThrow('The chip has no coupling to schedule.');
  });

  test('with ids that do not name two qubits is planned without these', () => {
    const plan = pairSchedule({ ...row, couplings: [...row.couplings, 'x', '1-1', '1-2-3'] });
    expect(plan.excluded.map(({ target }) => target).toSorted()).toEqual(['1-1', '1-2-3', 'x']);
  });

  test('contains each edge once, although couplings are listed in both directions and repeatedly', () => {
    const plan = pairSchedule({ ...row, couplings: [...row.couplings, ...row.couplings] });
    expect(plan.metadata.total_pairs).toBe(2);
  });

  test('for a chip without multiplexer blocks also works', () => {
    const hex = generatedTopology('heavy-hex-27');
    if (!hex) throw new Error('no heavy hexagon');
    const muxes: Record<string, string[]> = {};
    for (const qid of Object.keys(hex.qubits)) {
      const mux = String(Math.floor(Number(qid) / 4));
      muxes[mux] = [...(muxes[mux] ?? []), qid];
    }
    const couplings = hex.couplings.map(([a, b]) => `${a}-${b}`);
    const plan = pairSchedule({
      couplings: [...couplings, ...hex.couplings.map(([a, b]) => `${b}-${a}`)],
      design: null,
      frequencies: {},
      places: hex.qubits,
      muxes,
      wiring: null,
    });
    expect(plan.groups.flat().length + plan.excluded.length).toBe(hex.couplings.length);
  });
});
