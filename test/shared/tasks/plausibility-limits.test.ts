import { describe, expect, test } from 'vitest';
import type { Wander } from '../../../shared/tasks/model.ts';
import { ageText, areAlike, doubts, jumpOf, wanderSeen } from '../../../shared/tasks/plausibility.ts';

const value = (number: number, error: number | null = null) => ({ value: number, error });
const known = (number: number, hours = 0, error: number | null = null) => ({ value: number, error, hours });
const still: Wander = { atOnce: 0, perDay: 0, of: 'unit' };

test('an age is in minutes below an hour, in hours below two days, then in days', () => {
  expect([0.001, 0.5, 0.98, 1, 47.4, 48, 71].map(ageText)).toEqual([
    '1 min',
    '30 min',
    '59 min',
    '1 h',
    '47 h',
    '2 days',
    '3 days',
  ]);
});

test('values agree up to five standard deviations of both errors', () => {
  expect(areAlike(value(10, 3), known(35, 0, 4), {})).toBe(true);
  expect(areAlike(value(10, 3), known(35.01, 0, 4), {})).toBe(false);
});

describe('a jump', () => {
  const jump = (now: number, before: number, error: number | null, wander: Wander | undefined = still) =>
    jumpOf('a', value(now, error), {
      earlier: known(before, 2, 0),
      output: { unit: 'us', ...(wander && { wander }) },
    });

  test('is beyond five standard deviations', () => {
    expect(jump(15, 10, 1)).toBeNull();
    expect(jump(15.1, 10, 1)).toMatch(/^a is .* 2 h before, 5\.1 times what errors and drift explain$/);
  });

  test('is given in ordinary numbers', () => {
    expect(jump(110, 10, 1)).toMatch(/ 100 times what errors and drift explain$/);
    expect(jump(11, 10, 0)).toMatch(/ many times what errors and drift explain$/);
  });

  test('needs a known drift', () => {
    expect(jumpOf('a', value(99, 1), { earlier: known(1), output: { unit: 'us' } })).toBeNull();
  });
});

describe('the observed drift of a history', () => {
  const usual: Wander = { atOnce: 1, perDay: 0, of: 'unit' };
  const factorOf = (...values: number[]) =>
    wanderSeen(
      values.map((each) => known(each, 0, 0)),
      usual,
    ).atOnce;

  test('is the median of the differences between neighbours', () => {
    expect(factorOf(0, 10, 13, 12, 30, 34)).toBeCloseTo(4 / 0.6745, 9);
  });

  test('is the usual one with fewer than five differences, or if it is smaller', () => {
    expect(factorOf(0, 10, 13, 12, 30)).toBe(1);
    expect(factorOf(0, 0.1, 0, 0.1, 0, 0.1)).toBe(1);
  });
});

describe('a frequency at the two-photon line', () => {
  const outputs = {
    qubit_frequency: { unit: 'GHz' as const, wander: still },
    coarse_qubit_frequency: { unit: 'GHz' as const, wander: still },
    readout_frequency: { unit: 'GHz' as const, wander: still },
  };
  const doubted = (
    found: number,
    { error = 1e-6, before = 1e-6, anharmonicity = 0, name = 'qubit_frequency' } = {},
  ) =>
    doubts(
      outputs,
      { [name]: value(found, error) },
      { [name]: known(5, 1, before), anharmonicity: known(-0.3, 1, anharmonicity) },
    ).map(({ kind, against }) => [kind, ...against]);
  const physics = (name = 'qubit_frequency') => [['physics', name, 'anharmonicity']];
  const jump = (name = 'qubit_frequency') => [['jump', name]];

  test('is impossible rather than a jump', () => {
    expect(doubted(4.85)).toEqual(physics());
    expect(doubted(4.8599)).toEqual(physics());
    expect(doubted(4.8601)).toEqual(jump());
    expect(doubted(4.85, { name: 'coarse_qubit_frequency' })).toEqual(physics('coarse_qubit_frequency'));
    expect(doubted(4.85, { name: 'readout_frequency' })).toEqual(jump('readout_frequency'));
  });

  test('is recognized within the errors of all three', () => {
    expect(doubted(4.895, { error: 0.01 })).toEqual(physics());
    expect(doubted(4.895, { before: 0.01 })).toEqual(physics());
    expect(doubted(4.875, { anharmonicity: 0.01 })).toEqual(physics());
    expect(doubted(4.9, { anharmonicity: 0.01 })).toEqual(jump());
  });

  test('is described with the line', () => {
    const [doubt] = doubts(
      outputs,
      { qubit_frequency: value(4.85, 1e-6) },
      { qubit_frequency: known(5, 1, 1e-6), anharmonicity: known(-0.3) },
    );
    expect(doubt?.message).toMatch(
      /, and that is where two photons reach the second excited state: 4\.85.* GHz$/,
    );
  });

  test('is a jump if the anharmonicity is unknown', () => {
    const [doubt] = doubts(
      outputs,
      { qubit_frequency: value(4.85, 1e-6) },
      { qubit_frequency: known(5, 1, 1e-6) },
    );
    expect(doubt?.kind).toBe('jump');
  });
});

describe('a T2 above twice the T1', () => {
  const doubted = (found: Parameters<typeof doubts>[1], before: Parameters<typeof doubts>[2] = {}) =>
    doubts({}, found, before);

  test('is impossible if both were found together', () => {
    expect(doubted({ t1: value(10), t2_echo: value(20) })).toEqual([]);
    expect(doubted({ t1: value(10), t2_echo: value(21) })).toEqual([
      {
        output: 't2_echo',
        against: [],
        kind: 'physics',
        message: expect.stringMatching(/^t2_echo of 21.* us is more than twice the t1 of 10.* us$/),
      },
    ]);
  });

  test('is accepted within the errors of either', () => {
    expect(doubted({ t1: value(10, 0.5), t2_star: value(24) })).toEqual([]);
    expect(doubted({ t1: value(10, 0.5), t2_star: value(26) })).toHaveLength(1);
    expect(doubted({ t1: value(10), t2_star: value(24, 1) })).toEqual([]);
    expect(doubted({ t1: value(10), t2_star: value(26, 1) })).toHaveLength(1);
  });

  test('is compared with an earlier value up to a drift by a factor of two', () => {
    const doubt = (kind: string, output: string, against: string) => [
      { output, kind, against: [against], message: expect.stringMatching(/ us of 24 h before$/) },
    ];
    expect(doubted({ t1: value(10) }, { t2_echo: known(39, 24) })).toEqual([]);
    expect(doubted({ t1: value(10) }, { t2_echo: known(41, 24) })).toEqual(doubt('jump', 't1', 't2_echo'));
    expect(doubted({ t2_echo: value(39) }, { t1: known(10, 24) })).toEqual([]);
    expect(doubted({ t2_echo: value(41) }, { t1: known(10, 24) })).toEqual(doubt('physics', 't2_echo', 't1'));
  });

  test('is not judged again without a new value, nor without both', () => {
    expect(doubted({}, { t1: known(10), t2_echo: known(90) })).toEqual([]);
    expect(doubted({ t2_echo: value(90) })).toEqual([]);
    expect(doubted({ t1: value(1) })).toEqual([]);
  });
});

describe('a fidelity above the limit of decay', () => {
  const times = { t1: known(50, 3), t2_echo: known(40, 5), drag_hpi_length: known(20) };
  const doubted = (fidelity: number, before: Parameters<typeof doubts>[2], error: number | null = null) =>
    doubts({}, { x90_gate_fidelity: value(fidelity, error) }, before);

  test('is impossible above that of relaxation, unlikely above that of the echo', () => {
    expect(doubted(0.9999999, times)).toEqual([
      {
        output: 'x90_gate_fidelity',
        against: ['t1'],
        kind: 'physics',
        message: expect.stringMatching(/ is above what the relaxation of 3 h before allows, 0\.999/),
      },
    ]);
    const [echo] = doubted(0.99999, { t1: known(500, 3), t2_echo: known(4, 5), drag_hpi_length: known(20) });
    expect(echo).toMatchObject({ against: ['t1', 't2_echo'], kind: 'jump' });
    expect(echo?.message).toContain(' above what the decay of 5 h before allows');
  });

  test('is judged by the newest times', () => {
    const [doubt] = doubted(0.9999999, { ...times, t1_average: known(50, 1) });
    expect(doubt?.against).toEqual(['t1_average']);
    const [older] = doubted(0.9999999, { ...times, t1_average: known(50, 4) });
    expect(older?.against).toEqual(['t1']);
    const averaged = { t1: known(500, 3), t2_echo: known(400, 5), t2_echo_average: known(4, 1) };
    expect(doubted(0.99999, { ...averaged, drag_hpi_length: known(20) })[0]?.against).toEqual([
      't1',
      't2_echo_average',
    ]);
  });

  test('is not judged without a T1 and a length of the gate', () => {
    for (const missing of ['t1', 'drag_hpi_length'] as const) {
      const { [missing]: _, ...rest } = times;
      expect(doubted(0.9999999, rest)).toEqual([]);
    }
  });

  test('is accepted if the times are uncertain', () => {
    const uncertain = { ...times, t1: known(50, 0, 40), t2_echo: known(40, 0, 30) };
    expect(doubted(0.9999, uncertain)).toEqual([]);
    expect(doubted(0.9999, { t1: known(50), drag_hpi_length: known(20) })).toHaveLength(1);
    expect(doubted(0.9999, { t1: known(50, 0, 40), drag_hpi_length: known(20) })).toEqual([]);
  });

  test('of a pair is compared with the computed limit, unless the gate is newer', () => {
    const pair = (before: Parameters<typeof doubts>[2]) =>
      doubts({}, { zx90_gate_fidelity: value(0.9999) }, before);
    const limit = { two_qubit_gate_coherence_limit: known(0.99, 2) };
    const expected = [
      {
        output: 'zx90_gate_fidelity',
        against: ['two_qubit_gate_coherence_limit'],
        kind: 'jump',
        message: expect.stringContaining(' above what the decay of 2 h before allows, 0.99'),
      },
    ];
    expect(pair(limit)).toEqual(expected);
    expect(pair({ ...limit, zx90_gate_time: known(200, 2) })).toEqual(expected);
    expect(pair({ ...limit, zx90_gate_time: known(200, 3) })).toEqual(expected);
    expect(pair({ ...limit, zx90_gate_time: known(200, 1) })).toEqual([]);
    expect(pair({ zx90_gate_time: known(200, 1) })).toEqual([]);
  });
});
