import { describe, expect, test } from 'vitest';
import { maintenanceGraph } from '../../../../shared/domain/maintenance/graph-rules.ts';
import {
  createJudge,
  type EndedCheck,
  type FailedTask,
  hasChanged,
  indexed,
  type ValueVersion,
} from '../../../../shared/domain/maintenance/state-rules.ts';
import { windowsFile } from '../../../../shared/domain/maintenance/windows-file.ts';
import { taskCatalog } from '../../../../shared/tasks/catalog.ts';
import { taskNamed } from '../../../support/ids.ts';

const graph = indexed(maintenanceGraph(taskCatalog));
const settings = await windowsFile.read('/nowhere');
const now = new Date('2026-11-20T12:00:00Z');

let made = 0;

/** A version found a number of hours ago. */
function found(task: string, value: number, hours: number, error: number | null = 1e-6): ValueVersion {
  made += 1;
  const at = new Date(now.getTime() - hours * 3_600_000);
  return { value, error, unit: '', at, task, taskId: taskNamed(`task-${made}`) };
}

type Values = Record<string, ValueVersion[]>;

/** State of a value: `0/t1`, `0-1/zx90_gate_time`. Versions are given newest first. */
function judged(
  values: Record<string, Values>,
  path: string,
  failures: Record<string, FailedTask[]> = {},
  checks: Record<string, EndedCheck[]> = {},
) {
  const [qid = '', parameter = ''] = path.split('/');
  const versions = new Map(
    Object.entries(values).map(([name, own]) => [name, new Map(Object.entries(own))] as const),
  );
  const known = {
    versions,
    failures: new Map(Object.entries(failures)),
    checks: new Map(Object.entries(checks)),
  };
  const kind = qid.includes('-') ? 'coupling' : 'qubit';
  return createJudge({ graph, known, settings, now })({ kind, qid, parameter });
}

/** A qubit that was calibrated from coarse to fine. */
const calibrated: Values = {
  qubit_frequency: [found('CheckRamsey', 5.001, 4, 1e-6), found('CheckChevron', 5.0, 8, 1e-5)],
  control_amplitude: [found('CheckRabi', 0.05, 7)],
  hpi_amplitude: [found('CreateHPIPulse', 0.02, 6)],
  hpi_length: [found('CreateHPIPulse', 32, 6)],
  readout_frequency: [found('CheckOptimalReadoutFrequency', 7.1, 7.5)],
  readout_amplitude: [found('CheckOptimalReadoutAmplitude', 0.1, 7.4)],
  readout_length: [found('SeedImport', 384, 30)],
  t1: [found('CheckT1', 60, 5, 3)],
  t1_average: [found('CheckT1Average', 60, 3, 3)],
  t2_echo_average: [found('CheckT2EchoAverage', 70, 3, 3)],
};

describe('a value', () => {
  test('that was never measured is unknown', () => {
    expect(judged({}, '0/t1')).toMatchObject({ state: 'unknown', since: null, window: null });
  });

  test('that was entered and not measured since is unknown', () => {
    const values = { qubit_frequency: [found('SeedImport', 5, 1)] };
    expect(judged({ 0: values }, '0/qubit_frequency')).toMatchObject({ state: 'unknown', refinement: 0 });
  });

  test('that no task measures is fresh once it is entered', () => {
    expect(judged({ 0: calibrated }, '0/readout_length').state).toBe('fresh');
  });

  test('is fresh within its window and due after it', () => {
    expect(judged({ 0: calibrated }, '0/t1')).toMatchObject({ state: 'fresh', refinement: 1 });
    const t1 = [found('CheckT1', 60, 500, 3)];
    const due = judged({ 0: { t1 } }, '0/t1');
    expect(due.state).toBe('due');
    expect(due.since).toEqual(due.dueAt);
  });

  test('is broken since a task that finds it first failed after it was found', () => {
    const failed = (hours: number): FailedTask => {
      const { at } = found('CheckT1', 0, hours);
      return { task: 'CheckT1', at, message: `r2 too low, ${hours} hours ago` };
    };
    const of = (...hours: number[]) => judged({ 0: calibrated }, '0/t1', { 0: hours.map(failed) });
    expect(of(6).state).toBe('fresh');
    const broken = of(1, 6, 2);
    expect(broken.state).toBe('broken');
    expect(broken.since).toEqual(failed(2).at);
    expect(broken.reason).toContain('1 hours ago');
  });

  test('that was edited is stale, and so is what was found before the edit, directly or not', () => {
    const edit = found('ManualParameterEdit', 0.05, 2);
    const edited = { ...calibrated, control_amplitude: [edit, ...(calibrated.control_amplitude ?? [])] };
    expect(judged({ 0: edited }, '0/control_amplitude')).toMatchObject({ state: 'stale', since: edit.at });
    expect(judged({ 0: edited }, '0/hpi_amplitude')).toMatchObject({
      state: 'stale',
      since: edit.at,
      cause: { kind: 'qubit', qid: '0', parameter: 'control_amplitude' },
    });
    expect(judged({ 0: edited }, '0/t1')).toMatchObject({ state: 'stale', since: edit.at });
    const again = { ...edited, hpi_amplitude: [found('CreateHPIPulse', 0.02, 1)] };
    expect(judged({ 0: again }, '0/hpi_amplitude').state).toBe('fresh');
  });
});

describe('a value that others depend on', () => {
  test('makes them stale when it changed by more than its error', () => {
    const before = calibrated.hpi_amplitude ?? [];
    const at = (value: number) => ({
      ...calibrated,
      hpi_amplitude: [found('CreateHPIPulse', value, 1, 1e-4), ...before],
    });
    expect(judged({ 0: at(0.0202) }, '0/t1').state).toBe('fresh');
    const stale = judged({ 0: at(0.021) }, '0/t1');
    expect(stale).toMatchObject({ state: 'stale', cause: { parameter: 'hpi_amplitude' } });
    expect(stale.since).toEqual(at(0.021).hpi_amplitude[0]?.at);
  });

  test('makes nothing stale by being refined', () => {
    for (const parameter of ['control_amplitude', 'readout_frequency', 'hpi_amplitude', 't1', 't1_average']) {
      expect(judged({ 0: calibrated }, `0/${parameter}`), parameter).toMatchObject({ state: 'fresh' });
    }
  });

  test('makes coarser ones stale when its own refinement moved', () => {
    const [fine, coarse] = calibrated.qubit_frequency ?? [];
    if (!fine || !coarse) throw new Error('no history');
    const moved = { ...calibrated, qubit_frequency: [found('CheckRamsey', 5.002, 1, 1e-6), fine, coarse] };
    expect(judged({ 0: moved }, '0/t1')).toMatchObject({
      state: 'stale',
      cause: { parameter: 'qubit_frequency' },
    });
    expect(judged({ 0: moved }, '0/qubit_frequency').state).toBe('fresh');
  });

  test('makes the values of a coupling stale by way of either qubit', () => {
    const coupling = {
      zx90_gate_time: [found('CreateZX90', 200, 2)],
      two_qubit_gate_coherence_limit: [found('Check2QGateCoherenceLimit', 0.99, 1)],
    };
    const limit = '0-1/two_qubit_gate_coherence_limit';
    expect(judged({ 0: calibrated, 1: calibrated, '0-1': coupling }, limit).state).toBe('fresh');
    const moved = {
      ...calibrated,
      t1_average: [found('CheckT1Average', 9, 0.5, 1), ...(calibrated.t1_average ?? [])],
    };
    expect(judged({ 0: calibrated, 1: moved, '0-1': coupling }, limit)).toMatchObject({
      state: 'stale',
      cause: { kind: 'qubit', qid: '1', parameter: 't1_average' },
    });
  });

  test('makes them stale by failing', () => {
    const { at } = found('CreateHPIPulse', 0, 1);
    const failures = { 0: [{ task: 'CreateHPIPulse', at, message: 'No fit.' }] };
    expect(judged({ 0: calibrated }, '0/t1', failures)).toMatchObject({ state: 'stale', since: at });
    expect(judged({ 0: calibrated }, '0/readout_frequency', failures).state).toBe('fresh');
  });
});

describe('a value that was checked', () => {
  const checked = (outcome: EndedCheck['outcome'], hours: number): EndedCheck => {
    const { at } = found('CheckRabi', 0, hours);
    return { task: 'CheckRabi', at, outcome, reason: 'It is 0.06.' };
  };
  const old = { control_amplitude: [found('CheckRabi', 0.05, 100)] };
  const afterChecks = (...checks: EndedCheck[]) =>
    judged({ 0: old }, '0/control_amplitude', {}, { 0: checks });

  test('holds from the check on', () => {
    expect(afterChecks().state).toBe('due');
    const confirmed = afterChecks(checked('in_specification', 10));
    expect(confirmed).toMatchObject({
      state: 'fresh',
      reason: 'Confirmed by a check of CheckRabi within its window.',
    });
    expect(confirmed.since).toEqual(checked('in_specification', 10).at);
    expect(afterChecks(checked('in_specification', 60)).state).toBe('due');
  });

  test('is broken when it was out of specification, until a check confirms it', () => {
    const refuted = afterChecks(checked('in_specification', 20), checked('out_of_specification', 10));
    expect(refuted).toMatchObject({ state: 'broken' });
    expect(refuted.reason).toBe('The check of CheckRabi found it out of specification: It is 0.06.');
    expect(afterChecks(checked('out_of_specification', 20), checked('in_specification', 10)).state).toBe(
      'fresh',
    );
  });

  test('has a window by what its checks found, bad data aside', () => {
    const windowAfter = (values: readonly number[], outcome: EndedCheck['outcome'] = 'in_specification') =>
      afterChecks(
        ...values.map((value, index) => ({
          ...checked(outcome, 10 * (index + 1)),
          found: { control_amplitude: { value, error: 1e-6 } },
        })),
      ).window?.hours ?? 0;
    const steady = windowAfter([0.05, 0.05, 0.05, 0.05, 0.05, 0.05]);
    const moving = windowAfter([0.05, 0.07, 0.05, 0.07, 0.05, 0.07]);
    const usual = windowAfter([]);
    expect(steady).toBeGreaterThan(usual);
    expect(moving).toBeLessThan(usual);
    expect(windowAfter([0.05, 0.07, 0.05, 0.07, 0.05, 0.07], 'bad_data')).toBe(usual);
  });

  test('is what it was after bad data, and after checks of an earlier value', () => {
    expect(afterChecks(checked('bad_data', 10)).state).toBe('due');
    const again = { control_amplitude: [found('CheckRabi', 0.05, 1), ...old.control_amplitude] };
    const checks = { 0: [checked('out_of_specification', 10)] };
    expect(judged({ 0: again }, '0/control_amplitude', {}, checks).state).toBe('fresh');
  });
});

test('a value changed if it moved by more than its errors and its drift at once', () => {
  const changed = (...versions: ValueVersion[]) => {
    const known = { versions: new Map([['0', new Map([['t1', versions]])]]), failures: new Map() };
    return hasChanged({ kind: 'qubit', qid: '0', parameter: 't1' }, { graph, known, settings });
  };
  expect(changed()).toBe(false);
  expect(changed(found('CheckT1', 60, 1, 3))).toBe(true);
  expect(changed(found('CheckT1', 60, 1, 3), found('CheckT1', 55, 2, 3))).toBe(false);
  expect(changed(found('CheckT1', 60, 1, 3), found('CheckT1', 20, 2, 1))).toBe(true);
});
