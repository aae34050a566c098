import { describe, expect, test } from 'vitest';
import type { Dataset } from '../../../../../shared/science/datasets/model.ts';
import {
  assignmentOf,
  assignmentOrder,
  assignSlots,
  ownLine,
  type SeenLines,
} from '../../../../../shared/tasks/common/analysis/resonator-assignment.ts';
import { resolveRunParameters } from '../../../../../shared/tasks/run-parameters.ts';
import { taskOf } from '../../../../support/measured.ts';

const PLACES = ['0', '1', '2', '3'];
/** Frequencies of positions 0 to 3. In rising order these are 3, 0, 2, 1, as in the pattern `default`. */
const DESIGN = [10.15, 10.53, 10.35, 9.95];
/** Frequencies of positions 0 to 3. In rising order these are 0, 3, 1, 2, as in the pattern `16q`. */
const OTHER_DESIGN = [9.95, 10.35, 10.53, 10.15];
const LINES = [9.95, 10.15, 10.35, 10.53];

function dataset(wiring: readonly (number | null)[] | undefined, places?: readonly number[]): Dataset {
  const variable = (values: readonly (number | null)[], unit: string) => ({
    dims: ['place'],
    values: [...values],
    unit,
    long_name: '',
  });
  return {
    dims: wiring ? { place: wiring.length } : {},
    coordinates: places ? { place: variable(places, '') } : {},
    variables: wiring ? { design_frequency: variable(wiring, 'GHz') } : {},
  };
}

interface Known {
  run?: Record<string, unknown>;
  wiring?: readonly (number | null)[];
  /** Positions to which the frequencies of the wiring belong; by default in order. */
  places?: readonly number[];
}

function assignment({ run = {}, wiring, places }: Known) {
  const { parameters } = resolveRunParameters(taskOf('CheckResonatorSpectroscopy'), [run]);
  const read = assignmentOf({ runParameters: parameters, dataset: dataset(wiring, places) });
  return typeof read === 'string' ? expect.fail(read) : read;
}

/** The frequency assigned to the qubit at each position, or the reason why it has none. */
function assigned(at: readonly number[], known: Known, earlier: Record<string, number> = {}) {
  return PLACES.map((qid) => {
    const seen: SeenLines = { at, earlier: earlier[qid], reach: 0.014 };
    const own = ownLine(qid, seen, assignment(known));
    return typeof own === 'string' ? own : at[own];
  });
}

describe('the orders of places', () => {
  test('knows the named orders and lists of places', () => {
    expect(assignmentOrder('default')).toEqual([3, 0, 2, 1]);
    expect(assignmentOrder('16q')).toEqual([0, 3, 1, 2]);
    expect(assignmentOrder('2, 1, 0, 3')).toEqual([2, 1, 0, 3]);
    for (const wrong of ['', '0,0,1,2', '1,2,3,4', 'toString'])
      expect(assignmentOrder(wrong)).toBeUndefined();
  });
});

describe('resonators assigned by order alone', () => {
  const plan = { slots: 4 };
  const unclear = Array(4).fill('unclear');

  test.each([
    [LINES],
    [[9.9, 10.0, 10.2, 10.3]],
    [[9.95, 10.0, 10.2, 10.4]],
    [[9.8, 9.88, 10.0, 10.3]],
    [[9.8, 9.85, 10.15, 10.2]],
    [[9.8, 9.84, 10.0, 10.2]],
    [[9.8, 9.9, 10.2, 10.25]],
    [[9.8, 9.83, 9.86, 10.7]],
  ])('are all assigned if all exist, for any distances: %j', (found) => {
    expect(assignSlots(found, plan)).toEqual([0, 1, 2, 3]);
  });

  test.each([
    // Without one of an even plan.
    [[10.15, 10.35, 10.53]],
    [[9.95, 10.35, 10.53]],
    [[9.95, 10.15, 10.53]],
    [[9.95, 10.15, 10.35]],
    // Without one of the uneven plan 9.9, 10.0, 10.2, 10.3: an even one without another looks the same.
    [[9.9, 10.0, 10.2]],
    [[10.0, 10.2, 10.3]],
    [[9.95, 10.15]],
    [[10.15]],
  ])(
    'are not assigned if one is missing, because the gaps of an unknown plan have no information: %j',
    (found) => {
      expect(assignSlots(found, plan)).toEqual(unclear);
    },
  );

  test('are not assigned if two lines are so close that both may be one resonator, nor if there are more lines than resonators', () => {
    expect(assignSlots([9.95, 10.15, 10.155, 10.53], plan)).toEqual(unclear);
    expect(assignSlots([9.95, 10.15, 10.17, 10.53], plan)).toEqual(unclear);
    expect(assignSlots([9.95, 10.15, 10.25, 10.35, 10.53], plan)).toEqual(unclear);
    const [, message] = assigned([9.95, 10.15, 10.17, 10.53], {});
    expect(message).toBe(
      '4 of 4 resonators were found, at 9.950, 10.150, 10.170, 10.530 GHz: which one belongs to qubit 1 cannot be determined without design frequencies, because those at 10.150 and 10.170 GHz may be one',
    );
  });

  test('are all missing if there is no line', () => {
    expect(assignSlots([], plan)).toEqual(Array(4).fill('missing'));
  });

  test('are not assigned if the pattern does not name as many places as there are resonators', () => {
    for (const found of [LINES.slice(1), [...LINES, 10.7]]) {
      for (const own of assigned(found, { run: { num_resonators: found.length } }))
        expect(own).toMatch(/cannot be determined without design frequencies$/);
    }
  });
});

describe('resonators assigned by their design', () => {
  test('takes the lines nearest to the design with a common offset, and no stray line', () => {
    const plan = { slots: 4, design: [9.95, 10.15, 10.35, 10.53] };
    expect(assignSlots([10.17], plan)).toEqual(['missing', 0, 'missing', 'missing']);
    expect(assignSlots([10.0, 10.4], plan)).toEqual([0, 'missing', 1, 'missing']);
    expect(assignSlots([9.96, 10.03, 10.16, 10.36, 10.54], plan)).toEqual([0, 2, 3, 4]);
    expect(assignSlots([9.96, 10.25, 10.54], plan)).toEqual([0, 'unclear', 'unclear', 2]);
    expect(assignSlots([], plan)).toEqual(Array(4).fill('missing'));
  });

  test('belong to the positions in the wiring if no pattern is named', () => {
    expect(assigned(LINES, { wiring: DESIGN })).toEqual(DESIGN);
    expect(assigned(LINES, { wiring: OTHER_DESIGN })).toEqual(OTHER_DESIGN);
    expect(assigned(LINES, { wiring: LINES, places: [3, 0, 2, 1] })).toEqual(DESIGN);
    expect(assigned([9.95, 10.35], { wiring: OTHER_DESIGN })).toEqual([
      9.95,
      10.35,
      expect.stringMatching(/the one of qubit 2 is missing$/),
      expect.stringMatching(/the one of qubit 3 is missing$/),
    ]);
  });

  test('follow a named pattern that contradicts the wiring only if all exist', () => {
    const known = { wiring: DESIGN, run: { resonator_assignment_pattern: '16q' } };
    expect(assigned(LINES, known)).toEqual(OTHER_DESIGN);
    for (const own of assigned(LINES.slice(1), known)) expect(own).toMatch(/cannot be determined/);
    const agreeing = { wiring: DESIGN, run: { resonator_assignment_pattern: '3,0,2,1' } };
    expect(assigned(LINES.slice(1), agreeing).slice(0, 3)).toEqual([10.15, 10.53, 10.35]);
  });

  test.each([
    ['a frequency is missing', [10.15, null, 10.35, 9.95], undefined],
    ['two are the same', [10.15, 10.35, 10.35, 9.95], undefined],
    ['a place is named twice', DESIGN, [0, 1, 1, 3]],
    ['a place is none of the line', DESIGN, [4, 5, 6, 7]],
    ['there are too few', [10.15, 10.53, 10.35], undefined],
  ])('are not assigned by a wiring in which %s', (_, wiring, places) => {
    const known = { wiring, ...(places && { places }) };
    expect(assigned(LINES, known)).toEqual(DESIGN);
    for (const own of assigned(LINES.slice(1), known)) expect(own).toMatch(/cannot be determined/);
  });
});

describe('resonators assigned by their earlier frequencies', () => {
  test('are those that still exist, if their order does not decide', () => {
    const before = { '0': 10.152, '2': 10.349, '3': 9.951 };
    expect(assigned([9.95, 10.15, 10.53], {}, before)).toEqual([
      10.15,
      expect.stringMatching(/cannot be determined without design frequencies$/),
      expect.stringMatching(/the one of qubit 2, at 10\.349 GHz before, is missing$/),
      9.95,
    ]);
  });

  test('never assign a line to two qubits: a certain design has precedence over an earlier frequency', () => {
    const wiring = DESIGN;
    const [, own, contradicted] = assigned([9.95, 10.15, 10.53], { wiring }, { '2': 10.53 });
    expect(own).toBe(10.53);
    expect(contradicted).toMatch(
      /the one of qubit 2 was at 10\.530 GHz before, where the one of another qubit is expected by the design of the wiring/,
    );
    // There are as many lines as resonators, but the highest one belongs to none.
    const four = [9.95, 10.15, 10.53, 10.7];
    for (const [before, where] of [
      [10.53, 'the one of another qubit is expected'],
      [10.7, 'it is not expected'],
    ] as const)
      expect(assigned(four, { wiring }, { '2': before })[2]).toContain(
        `where ${where} by the design of the wiring; named design frequencies decide`,
      );
    expect(assigned(LINES, { wiring }, { '0': 9.95 })[0]).toMatch(
      /the one of another qubit is expected by the design of the wiring/,
    );
    expect(assigned(LINES, {}, { '0': 9.95 })[0]).toMatch(
      /the one of another qubit is expected by their order/,
    );
  });

  test('are used if the design cannot decide', () => {
    const known = { wiring: DESIGN };
    const between = [9.96, 10.25, 10.54];
    expect(assigned(between, known)[2]).toMatch(/cannot be determined by their design frequencies$/);
    expect(assigned(between, known, { '2': 10.251 })[2]).toBe(10.25);
    expect(assigned(LINES, known, { '2': 10.351 })[2]).toBe(10.35);
  });

  test('are ignored if the design is named for the measurement', () => {
    const run = { resonator_design_frequencies: OTHER_DESIGN };
    expect(assigned(LINES, { run, wiring: DESIGN }, { '0': 10.15 })).toEqual(OTHER_DESIGN);
  });
});
