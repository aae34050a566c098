import { describe, expect, test } from 'vitest';
import {
  type OneQubitMode,
  type OneQubitRequest,
  type Ordering,
  SchedulingError,
} from '../../../../shared/science/schedulers/model.ts';
import { oneQubitSchedule } from '../../../../shared/science/schedulers/one-qubit.ts';
import { muxConflicts } from '../../../../shared/science/schedulers/wiring.ts';
import { entry, mixedBoxes, seeded, squareChip, twoPerModule } from '../../../support/scheduled-chips.ts';

const modes: OneQubitMode[] = ['scheduled', 'synchronized', 'serial', 'simultaneous'];

function request(size: number, mode: OneQubitMode, changes: Partial<OneQubitRequest> = {}): OneQubitRequest {
  const { qids, muxes, topology } = squareChip(size);
  return { qids, mode, muxes, wiring: null, grid_size: topology.grid_size, ...changes };
}

/** Distances between all pairs of qubits of each step, in edges of the lattice. */
function distances(size: number, schedule: string[][][]): number[][] {
  const { topology } = squareChip(size);
  const place = (qid: string) => topology.qubits[qid] ?? { row: Number.NaN, col: Number.NaN };
  return schedule.map((step) =>
    step.flat().flatMap((one, index, qids) =>
      qids.slice(index + 1).map((other) => {
        const [a, b] = [place(one), place(other)];
        return Math.abs(a.row - b.row) + Math.abs(a.col - b.col);
      }),
    ),
  );
}

describe('64 qubits with multiplexers on both types of box', () => {
  const wiring = mixedBoxes(64);

  test('are scheduled in three stages', () => {
    const plan = oneQubitSchedule(request(64, 'scheduled', { wiring }));
    expect(plan.steps).toEqual([
      { box_type: 'A', mux_ids: ['1', '2', '5', '6', '8', '9', '11', '12', '13', '15'], targets: 40 },
      { box_type: 'MIXED', mux_ids: ['0', '3', '10'], targets: 12 },
      { box_type: 'MIXED', mux_ids: ['4', '7', '14'], targets: 12 },
    ]);
    expect(plan.schedule[1]).toEqual([
      ['0', '1', '2', '3'],
      ['12', '13', '14', '15'],
      ['40', '41', '42', '43'],
    ]);
    expect(plan.metadata).toMatchObject({
      total_qubits: 64,
      box_a_count: 40,
      box_b_count: 0,
      mixed_count: 24,
    });
    expect(plan.conflicts).toHaveLength(3);
    expect(plan.conflicts[0]).toEqual({
      a: '0',
      b: '4',
      reason: 'MUX 0 for control and MUX 4 for control use the module R21B.',
    });
  });

  test('take twelve synchronized steps', () => {
    const { schedule, steps } = oneQubitSchedule(request(64, 'synchronized', { wiring }));
    expect(steps.map(({ targets }) => targets)).toEqual([10, 10, 10, 10, 3, 3, 3, 3, 3, 3, 3, 3]);
    expect(schedule[4]).toEqual([['0'], ['14'], ['40']]); // place 2 first in the odd MUX 3
  });
});

describe('orderings of a synchronized schedule', () => {
  test.each<[number, Ordering, number]>([
    [64, 'natural', 24],
    [64, 'checkerboard', 12],
    [64, 'parity', 12],
    [144, 'natural', 60],
    [144, 'checkerboard', 30],
    [144, 'parity', 30],
  ])('%i qubits, %s: %i pairs of a step at distance 2, none nearer', (size, ordering, pairs) => {
    const { schedule } = oneQubitSchedule(request(size, 'synchronized', { ordering }));
    for (const step of distances(size, schedule)) {
      expect(Math.min(...step)).toBe(2);
      expect(step.filter((distance) => distance === 2)).toHaveLength(pairs);
    }
  });

  test('by parity have a single frequency class in each step', () => {
    const { topology } = squareChip(64);
    const { schedule } = oneQubitSchedule(request(64, 'synchronized', { ordering: 'parity' }));
    for (const step of schedule) {
      const parities = step.flat().map((qid) => {
        const { row, col } = topology.qubits[qid] ?? { row: Number.NaN, col: Number.NaN };
        return (row + col) % 2;
      });
      expect(new Set(parities).size).toBe(1);
    }
  });

  test('by parity need the size of the grid', () => {
    const asked = request(16, 'synchronized', { ordering: 'parity', grid_size: undefined });
    expect(() => oneQubitSchedule(asked)).toThrow('Ordering parity needs a chip of 2 × 2 multiplexers');
  });

  test('default to the checkerboard if synchronized, otherwise to the natural one', () => {
    const orderingOf = (mode: OneQubitMode) => oneQubitSchedule(request(16, mode)).metadata.ordering;
    expect(modes.map(orderingOf)).toEqual(['natural', 'checkerboard', 'natural', 'natural']);
  });
});

describe('serial and simultaneous', () => {
  test('serial drives one multiplexer after another, one qubit after another', () => {
    const { schedule } = oneQubitSchedule(request(16, 'serial'));
    expect(schedule).toEqual([
      [['0', '1', '2', '3']],
      [['4', '5', '6', '7']],
      [['8', '9', '10', '11']],
      [['12', '13', '14', '15']],
    ]);
  });

  test('simultaneous drives all at once, or in batches by the slot in the multiplexer', () => {
    const once = oneQubitSchedule(request(16, 'simultaneous'));
    expect(once.schedule).toEqual([squareChip(16).qids.map((qid) => [qid])]);
    const batches = oneQubitSchedule(request(16, 'simultaneous', { batches: 'local_index' }));
    expect(batches.schedule.map((step) => step.flat())).toEqual([
      ['0', '4', '8', '12'],
      ['1', '5', '9', '13'],
      ['2', '6', '10', '14'],
      ['3', '7', '11', '15'],
    ]);
  });

  test('simultaneous leaves out batches that are empty, and reports shared modules', () => {
    const asked = request(16, 'simultaneous', {
      qids: ['0', '4', '1'],
      batches: 'local_index',
      wiring: twoPerModule(16),
    });
    const plan = oneQubitSchedule(asked);
    expect(plan.schedule).toEqual([[['0'], ['4']], [['1']]]);
    expect(plan.conflicts.map(({ a, b }) => [a, b])).toEqual([['0', '1']]);
  });
});

describe('electronics that multiplexers share', () => {
  const cases = {
    'a B module in readout only': { ctrl: ['R1A-1'], read_out: 'X1B-1' },
    'two B modules': { ctrl: ['X1B-2', 'X2B-2', 'R2A-1'] },
    'a pure A module': { ctrl: ['X1A-3'] },
    'a pure B module': { ctrl: ['X1B-3'] },
    'read-in': { ctrl: ['R3A-1'], read_in: 'X1A-4' },
    pump: { ctrl: ['R4A-1'], pump: 'X1-4' },
  };

  test.each(Object.entries(cases))(
    '%s: no MUX is lost, repeated or in the same stage as a conflicting one',
    (_, ports) => {
      const partner = { ...ports, ctrl: ports.ctrl.map((port) => port.replace('R', 'S')) };
      const wiring = {
        0: entry(0, ports),
        1: entry(1, partner),
        2: entry(2, { ctrl: ['X2B-7', 'Z2A-1'] }),
        3: entry(3, { ctrl: ['Z3B-1', 'Z3A-1'] }),
      };
      const plan = oneQubitSchedule(request(16, 'scheduled', { wiring }));
      expect(plan.schedule.flat(2).toSorted()).toEqual(squareChip(16).qids.toSorted());
      const together = plan.steps.find(({ mux_ids }) => mux_ids.includes('0') && mux_ids.includes('1'));
      expect(together).toBeUndefined();
      expect(plan.conflicts).toContainEqual({
        a: '0',
        b: '1',
        reason: expect.stringContaining('use the module X'),
      });
    },
  );

  test('are spread evenly over the stages', () => {
    const { steps } = oneQubitSchedule(request(64, 'scheduled', { wiring: twoPerModule(64) }));
    expect(steps.map(({ targets }) => targets)).toEqual([32, 32]);
  });
});

describe('an excluded qubit', () => {
  test('is named with the reason', () => {
    const wiring = { 0: entry(0, { ctrl: ['R1A-1'] }) };
    const plan = oneQubitSchedule(
      request(16, 'scheduled', { wiring, qids: ['3', '0', '2', '5', '99', '0'], exclude: ['2'] }),
    );
    expect(plan.schedule).toEqual([[['0', '3']]]);
    expect(plan.excluded).toEqual([
      { target: '2', reason: 'Qubit 2 is among those to leave out.' },
      { target: '5', reason: "Qubit 5 is read out by MUX 1, which has no entry in the chip's wiring.yaml." },
      { target: '99', reason: 'Qubit 99 belongs to no multiplexer of the chip.' },
    ]);
    expect(plan.metadata.repeated).toEqual(['0']);
  });

  test('may not be everything', () => {
    expect(() => oneQubitSchedule(request(16, 'scheduled', { qids: [] }))).toThrow(SchedulingError);
    expect(() => oneQubitSchedule(request(16, 'scheduled', { qids: ['1'], exclude: ['1'] }))).toThrow(
      'No qubit is left. Qubit 1 is among those to leave out.',
    );
  });

  test('a missing wiring is reported', () => {
    expect(oneQubitSchedule(request(16, 'serial')).metadata.notes).toEqual([
      'The chip has no wiring.yaml, so every MUX counts as independent of the others.',
    ]);
  });
});

describe.each([16, 64, 144, 256, 1024])('any choice of %i qubits', (size) => {
  test.each(modes)('%s: each qubit once, or excluded; no conflict in a step; the same every time', (mode) => {
    for (const wiringOf of [() => null, twoPerModule, mixedBoxes]) {
      const random = seeded(size);
      const wiring = wiringOf(size);
      const exclude = squareChip(size).qids.filter(() => random() < 0.2);
      const asked = request(size, mode, { wiring, exclude });
      const plan = oneQubitSchedule(asked);
      const named = [...plan.schedule.flat(2), ...plan.excluded.map(({ target }) => target)];
      expect(named.toSorted()).toEqual(asked.qids.toSorted());
      expect(plan.excluded.map(({ target }) => target)).toEqual(exclude);
      expect(plan.steps.map(({ targets }) => targets)).toEqual(
        plan.schedule.map((step) => step.flat().length),
      );
      expect(oneQubitSchedule(asked)).toEqual(plan);
      if (mode === 'simultaneous') continue;
      const conflict = muxConflicts(wiring);
      for (const { mux_ids } of plan.steps) {
        const clashes = mux_ids.flatMap((one) =>
          mux_ids.filter((other) => one < other && conflict(one, other)),
        );
        expect(clashes).toEqual([]);
      }
    }
  });
});
