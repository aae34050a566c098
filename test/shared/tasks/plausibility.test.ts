import { describe, expect, test } from 'vitest';
import { findTask } from '../../../shared/tasks/catalog.ts';
import {
  areAlike,
  doubts,
  type EarlierValue,
  type FoundValue,
  goesOnAfter,
  wanderSeen,
} from '../../../shared/tasks/plausibility.ts';

const outputsOf = (task: string) => findTask(task)?.outputs ?? expect.fail(`no ${task}`);
const earlier = (value: number, error: number | null, hours: number): EarlierValue => ({
  value,
  error,
  hours,
});

function doubted(task: string, found: Record<string, FoundValue>, known: Record<string, EarlierValue>) {
  return doubts(outputsOf(task), found, known);
}

test('a target continues after a refused coherence time, but not with a contradicted frequency', () => {
  const task = (name: string) => findTask(name) ?? expect.fail(`no ${name}`);
  expect(goesOnAfter(task('CheckT1'), ['t1'])).toBe(true);
  expect(goesOnAfter(task('CheckRamsey'), [])).toBe(true);
  expect(goesOnAfter(task('CheckRamsey'), ['t2_star'])).toBe(true);
  expect(goesOnAfter(task('CheckRamsey'), ['t2_star', 'qubit_frequency'])).toBe(false);
  expect(goesOnAfter(task('CheckRabi'), [])).toBe(false);
});

test('a qubit continues after a refused fine correction, but not with a contradicted pulse', () => {
  const task = (name: string) => findTask(name) ?? expect.fail(`no ${name}`);
  expect(goesOnAfter(task('CheckFineFrequency'), [])).toBe(true);
  expect(goesOnAfter(task('CheckFineAmplitude'), [])).toBe(true);
  expect(goesOnAfter(task('CheckFineAmplitude'), ['drag_pi_amplitude'])).toBe(false);
});

describe('a value far from the previous one', () => {
  test('is doubted in a message with both values, their errors and the age', () => {
    const found = { t1: { value: 7.7, error: 0.3 } };
    expect(doubted('CheckT1', found, { t1: earlier(37.6, 1.1, 2) })).toEqual([
      {
        output: 't1',
        against: ['t1'],
        kind: 'jump',
        message:
          't1 is 7.70 ± 0.30 us after 37.6 ± 1.1 us 2 h before, 13 times what errors and drift explain',
      },
    ]);
  });

  test('is judged by the errors and by the drift since then: old values count less', () => {
    const moved = (by: number, hours: number) =>
      doubted(
        'CheckRamsey',
        { qubit_frequency: { value: 8 + by, error: 1e-6 } },
        { qubit_frequency: earlier(8, 1e-6, hours) },
      ).length;
    expect(moved(0.016, 1)).toBe(1);
    expect(moved(0.00008, 1)).toBe(0);
    expect(moved(0.0003, 1)).toBe(1);
    expect(moved(0.0003, 24)).toBe(0);
    expect(moved(0.016, 24 * 1000), 'however long ago').toBe(1);
  });

  test('is doubted for a finely calibrated amplitude, which changes by a percent in a day', () => {
    const moved = (part: number, hours: number) =>
      doubted(
        'CheckFineAmplitude',
        { drag_hpi_amplitude: { value: 0.1 * (1 + part), error: 2e-5 } },
        { drag_hpi_amplitude: earlier(0.1, 3e-5, hours) },
      ).length;
    expect(moved(0.005, 1)).toBe(0);
    expect(moved(0.03, 1)).toBe(1);
    expect(moved(-0.03, 1)).toBe(1);
    expect(moved(0.03, 24 * 7)).toBe(0);
  });

  test('is not doubted if either is uncertain, or if the quantity is a setting', () => {
    expect(doubted('CheckT1', { t1: { value: 7.7, error: 7 } }, { t1: earlier(37.6, 30, 0) })).toEqual([]);
    const amplitude = { control_amplitude: { value: 0.3, error: 1e-4 } };
    expect(doubted('CheckRabi', amplitude, { control_amplitude: earlier(0.03, 1e-4, 0) })).toEqual([]);
  });

  test('agrees with a second measurement within both errors and the drift of minutes', () => {
    const { t1 } = outputsOf('CheckT1');
    expect(areAlike({ value: 7.7, error: 0.3 }, earlier(8.2, 0.4, 0), t1 ?? {})).toBe(true);
    expect(areAlike({ value: 7.7, error: 0.3 }, earlier(37, 1, 0), t1 ?? {})).toBe(false);
    expect(areAlike({ value: 7.7, error: 0.3 }, earlier(37, 1, 100), t1 ?? {}), 'days later').toBe(true);
  });

  test('does not agree with a second measurement many errors away: seconds leave no time to drift', () => {
    const { qubit_frequency } = outputsOf('CheckRamsey');
    const again = (by: number) =>
      areAlike({ value: 8 + by, error: 1e-6 }, earlier(8, 1e-6, 0), qubit_frequency ?? {});
    expect(again(1e-5)).toBe(true);
    expect(again(2e-4), '140 errors of both').toBe(false);
  });

  test.each([
    ['CheckT1', 't1', { value: 10, error: 0.05 }, 12],
    ['CheckQubitSpectroscopy', 'coarse_qubit_frequency', { value: 8, error: 5e-5 }, 8.003],
    ['CheckRabi', 'maximum_rabi_frequency', { value: 300, error: 0.1 }, 320],
    ['CheckReflectionCoefficient', 'resonator_frequency', { value: 10, error: 1e-6 }, 10.0003],
    ['CheckFineAmplitude', 'drag_hpi_amplitude', { value: 0.1, error: 2e-5 }, 0.1008],
  ])(
    'does not agree with a second pass however much tasks and settings scatter: %s',
    (task, name, one, other) => {
      const output = outputsOf(task)[name] ?? expect.fail(`no ${name}`);
      expect(areAlike({ ...one, value: other }, { ...one, hours: 0 }, output)).toBe(false);
      const near = one.value + 3 * one.error;
      expect(areAlike({ ...one, value: near }, { ...one, hours: 0 }, output)).toBe(true);
    },
  );

  test('agrees within the scatter of measurements if an error is not known', () => {
    const { t1 } = outputsOf('CheckT1');
    for (const error of [null, 0]) {
      expect(areAlike({ value: 10, error }, earlier(12, 0.05, 0), t1 ?? {})).toBe(true);
      expect(areAlike({ value: 10, error }, earlier(37, 0.05, 0), t1 ?? {})).toBe(false);
    }
  });
});

describe('the observed drift', () => {
  const usual = { atOnce: 1e-5, perDay: 1e-4, of: 'unit' } as const;

  test('is the change between neighbours beyond their errors, per day', () => {
    const values = [0, 3, -1, 2, -3, 1, 4, 0].map((step, index) =>
      earlier(8 + step * 1e-3, 1e-5, 24 * index),
    );
    const { perDay } = wanderSeen(values, usual);
    expect(perDay).toBeGreaterThan(3e-3);
    expect(perDay).toBeLessThan(8e-3);
  });

  test('is not caused by one jump, by errors or by few values', () => {
    const jumped = Array.from({ length: 10 }, (_, index) => earlier(index < 4 ? 8 : 8.02, 1e-6, 24 * index));
    expect(wanderSeen(jumped, usual)).toEqual(usual);
    const noisy = [0, 3, -1, 2, -3, 1, 4].map((step, index) => earlier(8 + step * 1e-3, 5e-3, 24 * index));
    expect(wanderSeen(noisy, usual)).toEqual(usual);
    expect(wanderSeen([earlier(8, 0, 0), earlier(9, 0, 24)], usual)).toEqual(usual);
  });
});

describe('a physically impossible value', () => {
  test('is a T2 above twice T1, whichever is measured', () => {
    const found = { t2_echo: { value: 130, error: 4 } };
    const [doubt] = doubted('CheckT2Echo', found, { t1: earlier(30, 1, 0.5) });
    expect(doubt).toMatchObject({ output: 't2_echo', against: ['t1'], kind: 'physics' });
    expect(doubt?.message).toBe(
      't2_echo of 130.0 ± 4.0 us is more than twice the t1 of 30.0 ± 1.0 us of 30 min before',
    );
    expect(doubted('CheckT2Echo', { t2_echo: { value: 62, error: 4 } }, { t1: earlier(30, 1, 0.5) })).toEqual(
      [],
    );
    expect(
      doubted('CheckT1', { t1: { value: 5, error: 0.2 } }, { t2_echo: earlier(60, 2, 1) }),
    ).toMatchObject([{ output: 't1', against: ['t2_echo'], kind: 'jump' }]);
  });

  test('is a gate better than the limit of decay during its length', () => {
    const known = {
      t1: earlier(20, 0.5, 0.5),
      t2_echo: earlier(20, 0.5, 0.5),
      drag_hpi_length: earlier(16, 0, 0.5),
    };
    // (2 + 1) / 6 of 16 ns in 20 us.
    const limit = 1 - 4e-4;
    const found = (fidelity: number) => ({ average_gate_fidelity: { value: fidelity, error: 1e-5 } });
    expect(doubted('RandomizedBenchmarking', found(limit - 1e-4), known)).toEqual([]);
    expect(doubted('RandomizedBenchmarking', found(limit + 5e-5), known)).toEqual([]);
    expect(doubted('RandomizedBenchmarking', found(0.9999), known)).toMatchObject([
      { output: 'average_gate_fidelity', against: ['t1'], kind: 'physics' },
    ]);
    const dayOld = { ...known, t1: earlier(20, 0.5, 24), t2_echo: earlier(20, 0.5, 24) };
    expect(doubted('RandomizedBenchmarking', found(0.99998), dayOld)).toMatchObject([{ kind: 'physics' }]);
  });

  test('is not a gate better than the limit of T2 if relaxation allows it', () => {
    const known = {
      t1: earlier(20, 0.5, 0.5),
      t2_echo: earlier(20, 0.5, 0.5),
      drag_hpi_length: earlier(16, 0, 100),
    };
    const found = { average_gate_fidelity: { value: 1 - 2.3e-4, error: 1e-5 } };
    expect(doubted('RandomizedBenchmarking', found, known)).toMatchObject([
      { against: ['t1', 't2_echo'], kind: 'jump' },
    ]);
    const averages = { t1_average: earlier(2, 0.05, 1), t2_echo_average: earlier(2, 0.05, 1) };
    expect(
      doubted('RandomizedBenchmarking', found, { ...known, ...averages }),
      'the newer one',
    ).toMatchObject([{ against: ['t1', 't2_echo'] }]);
  });

  test('is a two-qubit gate above the limit that was computed for its length', () => {
    const limit = earlier(0.99, 1e-4, 0.5);
    const found = { zx90_gate_fidelity: { value: 0.9995, error: 1e-4 } };
    const doubtedWith = (zx90GateTime: EarlierValue) =>
      doubted('ZX90InterleavedRandomizedBenchmarking', found, {
        two_qubit_gate_coherence_limit: limit,
        zx90_gate_time: zx90GateTime,
      });
    expect(doubtedWith(earlier(200, 0, 2))).toMatchObject([{ kind: 'jump' }]);
    expect(doubtedWith(earlier(100, 0, 0.2)), 'it got another length since').toEqual([]);
  });

  test('is decided with a drift of T1, which allows a slightly larger T2 at first, and never more than twice the bound', () => {
    const count = (t2: number, hours: number) =>
      doubted('CheckT2Echo', { t2_echo: { value: t2, error: 0.5 } }, { t1: earlier(30, 0.3, hours) }).length;
    expect([count(62, 0.1), count(75, 0.1)]).toEqual([0, 1]);
    expect([count(110, 24), count(135, 24), count(135, 2400)]).toEqual([0, 1, 1]);
  });

  test('is a two-photon line as the qubit, however often it is found', () => {
    const known = { coarse_qubit_frequency: earlier(8, 1e-3, 24), anharmonicity: earlier(-0.36, 2e-3, 24) };
    const found = (value: number) => ({ coarse_qubit_frequency: { value, error: 5e-4 } });
    expect(doubted('CheckQubitSpectroscopy', found(7.82), known)).toMatchObject([{ kind: 'physics' }]);
    expect(doubted('CheckQubitSpectroscopy', found(7.7), known)).toMatchObject([{ kind: 'jump' }]);
  });
});
