import { describe, expect, test } from 'vitest';
import type { TargetValue } from '../../../../shared/domain/chips/model.ts';
import { deviceRequest } from '../../../../shared/domain/device-topology/model.ts';
import { deviceOf, newestCalibration } from '../../../../shared/domain/device-topology/rules.ts';
import { generatedTopology } from '../../../../shared/science/topology/rules.ts';

const topology = generatedTopology('linear-16');
if (!topology) throw new Error('no line');
const now = new Date('2026-01-02T00:00:00Z');
const today = '2026-01-01T12:00:00.000Z';
const old = '2025-12-31T12:00:00.000Z';

const value = (given: number, calibrated_at = today): TargetValue => ({ value: given, calibrated_at });
const good = {
  x90_gate_fidelity: value(0.99),
  readout_fidelity_0: value(0.98),
  readout_fidelity_1: value(0.94),
};
const gate = (fidelity: number) => ({ zx90_gate_fidelity: value(fidelity), zx90_gate_time: value(240.4) });

type Values = Record<string, Record<string, TargetValue>>;
const device = (request: unknown, qubits: Values, couplings: Values = {}) =>
  deviceOf(deviceRequest.parse(request), {
    qubits: new Map(Object.entries(qubits)),
    couplings: new Map(Object.entries(couplings)),
    topology,
    now,
  });
const any = { min: 0, max: 1 };
const condition = (fields: Record<string, unknown>) => ({
  coupling_fidelity: any,
  qubit_fidelity: any,
  readout_fidelity: any,
  ...fields,
});
/** Four qubits of the line, each with the next. */
const line: Values = { '0': good, '1': good, '2': good, '3': good };
const physical = ({ qubits }: ReturnType<typeof device>) => qubits.map(({ physical_id }) => physical_id);
const pairs = ({ qubits, couplings }: ReturnType<typeof device>) =>
  couplings.map((each) => [each.control, each.target].map((id) => qubits[id]?.physical_id).join('-'));

test('a qubit has its fidelity, readout errors, lifetimes, gate lengths and place', () => {
  const full = {
    ...good,
    t1: value(80),
    t2_echo: value(120),
    drag_hpi_length: value(16),
    drag_pi_length: value(24),
  };
  const { qubits, couplings } = device({ qubits: ['3', '1'] }, { '1': {}, '3': full });
  expect(couplings).toEqual([]);
  expect(qubits[0]).toEqual({
    id: 0,
    physical_id: 3,
    position: { x: expect.closeTo(10 / 3, 9), y: 0 },
    fidelity: 0.99,
    meas_error: {
      prob_meas1_prep0: expect.closeTo(0.02, 12),
      prob_meas0_prep1: expect.closeTo(0.06, 12),
      readout_assignment_error: expect.closeTo(0.04, 12),
    },
    qubit_lifetime: { t1: 80, t2: 120 },
    gate_duration: { rz: 0, sx: 16, x: 24 },
  });
  expect(qubits[1]).toMatchObject({
    id: 1,
    physical_id: 1,
    position: { x: 0, y: 0 },
    fidelity: 0.25,
    meas_error: { readout_assignment_error: 0.75 },
    qubit_lifetime: { t1: 100, t2: 100 },
    gate_duration: { sx: 20, x: 20 },
  });
});

test('a value older than a day counts as missing, each kind as its own condition says', () => {
  const aged = {
    x90_gate_fidelity: value(0.99, old),
    readout_fidelity_0: value(0.98, old),
    readout_fidelity_1: value(0.98, old),
  };
  const fidelities = (fields: Record<string, unknown>) => {
    const [qubit] = device({ qubits: ['0'], condition: condition(fields) }, { '0': aged }).qubits;
    return [qubit?.fidelity, qubit?.meas_error.readout_assignment_error];
  };
  expect(fidelities({})).toEqual([0.25, 0.75]);
  expect(fidelities({ qubit_fidelity: { ...any, is_within_24h: false } })).toEqual([0.99, 0.75]);
  expect(fidelities({ readout_fidelity: { ...any, is_within_24h: false } })).toEqual([
    0.25,
    expect.closeTo(0.02, 12),
  ]);
});

test('another parameter may be the fidelity', () => {
  const values = { ...good, average_gate_fidelity: value(0.7) };
  const wanted = condition({ qubit_fidelity: { ...any, metric: 'average_gate_fidelity' } });
  expect(device({ qubits: ['0'], condition: wanted }, { '0': values }).qubits[0]?.fidelity).toBe(0.7);
});

describe('the couplings of a device', () => {
  const both = { '0-1': gate(0.9), '1-0': gate(0.8), '1-2': gate(0.95), '2-3': {} };

  test('are those with a gate between its qubits, by the new numbers', () => {
    const made = device(
      { qubits: ['2', '1', '0', '3'], condition: condition({ only_maximum_connected: false }) },
      line,
      both,
    );
    expect(made.couplings).toEqual([
      { control: 1, target: 2, fidelity: 0.8, gate_duration: { rzx90: 240 } },
      { control: 1, target: 0, fidelity: 0.95, gate_duration: { rzx90: 240 } },
      { control: 2, target: 1, fidelity: 0.9, gate_duration: { rzx90: 240 } },
    ]);
  });

  test.each([
    ['forward', ['0-1', '1-2']],
    ['inverse', ['1-0']],
    ['mix', ['0-1', '1-0', '1-2']],
    [null, ['0-1', '1-0', '1-2']],
  ])('go %s', (cr_direction, expected) => {
    const made = device({ qubits: ['0', '1', '2', '3'], condition: condition({ cr_direction }) }, line, both);
    expect(pairs(made)).toEqual(expected);
    const alias = condition({ crDirection: cr_direction });
    expect(pairs(device({ qubits: ['0', '1', '2', '3'], condition: alias }, line, both))).toEqual(expected);
  });

  test('leave out what is excluded in either order, and what is not good enough', () => {
    const of = (fields: Record<string, unknown>) =>
      pairs(device({ qubits: ['0', '1', '2'], ...fields }, line, both));
    expect(of({ exclude_couplings: ['1-0'] })).toEqual(['1-2']);
    expect(of({ exclude_couplings: [['Q00-Q01'], ['2-1']] })).toEqual([]);
    expect(of({ exclude_couplings: [['0-1', '1-2']] })).toEqual([]);
    expect(of({ exclude_couplings: [['1', '0']] })).toEqual(['1-2']);
    expect(of({ exclude_couplings: [['Q00', 'Q01'], '2-1'] })).toEqual([]);
    expect(of({ condition: condition({ coupling_fidelity: { min: 0.9, max: 1 } }) })).toEqual(['0-1', '1-2']);
  });
});

test('qubits out of bounds go, with their couplings; the bounds themselves are in', () => {
  const weak = { ...good, x90_gate_fidelity: value(0.5) };
  const couplings = { '0-1': gate(0.9), '1-2': gate(0.9), '2-3': gate(0.9) };
  const made = (fields: Record<string, unknown>) =>
    device({ qubits: ['0', '1', '2', '3'], condition: condition(fields) }, { ...line, '1': weak }, couplings);
  expect(physical(made({ qubit_fidelity: { min: 0.99, max: 1 } }))).toEqual([2, 3]);
  expect(physical(made({ qubit_fidelity: { min: 0.5, max: 0.5 }, only_maximum_connected: false }))).toEqual([
    1,
  ]);
  expect(physical(made({ readout_fidelity: { min: 0.97, max: 1 } }))).toEqual([]);
});

test('only the largest part that hangs together stays, unless all may, or nothing is coupled', () => {
  const request = { qubits: ['0', '1', '2', '3', '4', '5'] };
  const six = { ...line, '4': good, '5': good };
  const couplings = { '0-1': gate(0.9), '2-3': gate(0.9), '3-4': gate(0.9) };
  expect(physical(device(request, six, couplings))).toEqual([2, 3, 4]);
  expect(physical(device(request, six, { '0-1': gate(0.9), '2-3': gate(0.9) }))).toEqual([0, 1]);
  expect(physical(device(request, six))).toEqual([0, 1, 2, 3, 4, 5]);
  const all = { ...request, condition: condition({ only_maximum_connected: false }) };
  expect(physical(device(all, six, couplings))).toEqual([0, 1, 2, 3, 4, 5]);
});

test('the device is as new as its newest value', () => {
  const known = (qubits: Values) => ({
    qubits: new Map(Object.entries(qubits)),
    couplings: new Map(),
    topology,
    now,
  });
  expect(newestCalibration(known({ '0': { t1: value(1, old) }, '1': { t1: value(1, today) } }))).toBe(today);
  expect(newestCalibration(known({ '0': {} }))).toBeNull();
});

describe('a request', () => {
  test('may leave out or send null for everything', () => {
    const whole = deviceRequest.parse({});
    expect(whole).toEqual({
      name: 'anemone',
      device_id: 'anemone',
      qubits: ['0', '1', '2', '3', '4', '5'],
      exclude_couplings: [],
      condition: {
        coupling_fidelity: { min: 0, max: 1, is_within_24h: true, metric: null },
        qubit_fidelity: { min: 0, max: 1, is_within_24h: true, metric: null },
        readout_fidelity: { min: 0, max: 1, is_within_24h: true, metric: null },
        cr_direction: 'mix',
        only_maximum_connected: true,
      },
    });
    const nulls = { name: null, device_id: null, qubits: null, exclude_couplings: null, condition: null };
    expect(deviceRequest.parse(nulls)).toEqual(whole);
  });

  test('names qubits flat or in groups', () => {
    expect(deviceRequest.parse({ qubits: [['0', '1'], ['2']] }).qubits).toEqual(['0', '1', '2']);
  });

  test.each([
    [{ unknown: 1 }],
    [{ condition: { unknown: 1 } }],
    [{ condition: { qubit_fidelity: { min: 0 } } }],
    [{ condition: { cr_direction: 'both' } }],
    [{ qubits: ['zero'] }],
    [{ qubits: 5 }],
    [{ exclude_couplings: ['0'] }],
    [{ exclude_couplings: ['0', '1'] }],
    [{ exclude_couplings: [['0', '1', '2']] }],
  ])('is refused: %j', (given) => {
    expect(deviceRequest.safeParse(given).success).toBe(false);
  });

  test('may have more in a fidelity than is known', () => {
    expect(deviceRequest.safeParse({ condition: { qubit_fidelity: { ...any, more: 1 } } }).success).toBe(
      true,
    );
  });
});
