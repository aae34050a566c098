import { expect, test } from 'vitest';
import { measureResult } from '../../../../activities/backends/backend.ts';
import { deviceTime, type FaultPlan, faultPlan } from '../../../../activities/backends/simulator/faults.ts';
import { createSimulator } from '../../../../activities/backends/simulator/simulator.ts';
import { fluxPhases } from '../../../../scripts/bench/honesty/truths/flux.ts';
import { type PhenomenonKind, phenomenonKind } from '../../../../shared/science/device/phenomena.ts';
import { analyse } from '../../../../shared/tasks/analyses.ts';
import { gate } from '../../../../shared/tasks/gates.ts';
import { type FluxPair, fluxPair } from '../../../support/flux-pairs.ts';
import { at, datasetOf, measure, quiet, requestOf, taskOf } from '../../../support/measured.ts';
import { measurePair } from '../../../support/pairs.ts';

const planOf = (phenomenon: PhenomenonKind, options: Record<string, unknown> = {}): FaultPlan =>
  faultPlan.parse({ phenomena: [{ phenomenon, ...options }] });

/** The truth of a qubit in a measurement, at several times half an hour apart. */
function truths(faults: FaultPlan | undefined, targets: string[] = ['0'], run: Record<string, number> = {}) {
  const simulator = createSimulator({ seed: 'phenomena', faults, now: () => at });
  const request = { ...requestOf(taskOf('CheckRamsey'), '0', {}), targets };
  const settings = { ...request.run_parameters };
  for (const [name, value] of Object.entries(run)) {
    settings[name] = { unit: '', value_type: 'float', ...settings[name], value };
  }
  return Array.from({ length: 48 }, (_, index) =>
    simulator.truthOf(
      { ...request, run_parameters: settings },
      '0',
      new Date(at.getTime() + index * 1_800_000),
    ),
  );
}

const usual = truths(undefined);

test.each<[PhenomenonKind, string]>([
  ['leakage', 'ReadoutClassification'],
  ...(
    [
      'charge_parity',
      'slow_dephasing',
      'drifting_readout',
      'offset_jump',
      'falling_gain',
      'wild_point',
      'stuck_digitiser',
      'hot',
      'wide_spread',
    ] as const
  ).map((each): [PhenomenonKind, string] => [each, 'CheckRamsey']),
])('%s changes the data of %s, the same way for the same seed and on no other chip', async (kind, task) => {
  const inputs = { drag_hpi_amplitude: 0.1, drag_hpi_length: 16, drag_hpi_beta: 0.2 };
  const dataOf = async (faults?: FaultPlan) => (await measure(task, 'phenomena', { inputs, faults })).dataset;
  const changed = await dataOf(planOf(kind));
  expect(changed).toEqual(await dataOf(planOf(kind)));
  const healthy = await dataOf();
  expect(changed).not.toEqual(healthy);
  expect(await dataOf(planOf(kind, { chip_id: 'another' }))).toEqual(healthy);
  expect(await dataOf(planOf(kind, { qids: ['5'] }))).toEqual(healthy);
});

/** What a perfect calibration would have left of the pair, and of the pulses that are played on it. */
function knownPair(index: number): FluxPair {
  const flux = fluxPair(index);
  const pulse = { cz_flux_amplitude: flux.amplitude, cz_gate_time: flux.gateTime };
  const phases = fluxPhases(flux.pair, { amplitude: flux.amplitude, lengthNs: flux.gateTime });
  const exact = Object.entries({ ...pulse, ...phases }).map(([name, value]) => [name, { value, error: 0 }]);
  return {
    ...flux,
    known: { ...flux.known, coupling: { ...flux.known.coupling, ...Object.fromEntries(exact) } },
  };
}

const SMALL = { shots: 64, flux_amplitude_range: [0.2, 0.3, 11], time_range: [0, 200, 20] };

test.each<[string, PhenomenonKind, 'control' | 'target' | 'both']>([
  ...(['CheckCrossResonance', 'CheckStaticZZ', 'CheckCZChevron', 'CheckCZPhase'] as const).flatMap((task) =>
    (
      [
        'drifting_readout',
        'offset_jump',
        'falling_gain',
        'wild_point',
        'stuck_digitiser',
        'charge_parity',
      ] as const
    ).map((kind): [string, PhenomenonKind, 'both'] => [task, kind, 'both']),
  ),
  ['CheckCrossResonance', 'wide_spread', 'target'],
  ['CheckCrossResonance', 'slow_dephasing', 'both'],
  ['CheckCZChevron', 'passing_defect', 'both'],
  ['CheckCZPhase', 'wide_spread', 'control'],
  ['CZInterleavedRandomizedBenchmarking', 'stuck_digitiser', 'both'],
  ['CZInterleavedRandomizedBenchmarking', 'wide_spread', 'target'],
])(
  'of pairs, data of %s are changed by %s of %s, and by that of no other qubit or chip',
  async (task, phenomenon, side) => {
    const flux = knownPair(1);
    const dataOf = async (plan?: Record<string, unknown>) => {
      const faults = plan && faultPlan.parse({ phenomena: [{ phenomenon, size: 2, ...plan }] });
      const allowed = Object.entries(SMALL).filter(([name]) => name in taskOf(task).runParameters);
      const run = task === 'CheckCZChevron' ? Object.fromEntries(allowed) : {};
      return (await measurePair(task, flux, flux.known, { run, faults })).dataset;
    };
    const [control = '', target = ''] = flux.qid.split('-');
    const qids = { control: [control], target: [target], both: [control, target] }[side];
    const healthy = await dataOf();
    const changed = await dataOf({ qids });
    expect(changed).not.toEqual(healthy);
    expect(changed).toEqual(await dataOf({ qids }));
    expect(changed.dims).toEqual(healthy.dims);
    expect(await dataOf({ qids: ['15'] })).toEqual(healthy);
    expect(await dataOf({ chip_id: 'another' })).toEqual(healthy);
  },
);

test('both qubits of a pair beat, each by itself: four kinds of shots', async () => {
  const flux = knownPair(1);
  const qids = flux.qid.split('-');
  const dataOf = async (planned: string[]) =>
    (
      await measurePair('CheckCrossResonance', flux, flux.known, {
        faults: planOf('charge_parity', { qids: planned }),
      })
    ).dataset;
  // One after another: large datasets of one task come in one file.
  const control = await dataOf(qids.slice(0, 1));
  const target = await dataOf(qids.slice(1));
  const both = await dataOf(qids);
  expect(both).not.toEqual(control);
  expect(both).not.toEqual(target);
});

test.each(
  (['slow_dephasing', 'charge_parity'] as const).flatMap((kind) =>
    ['ReadoutClassification', 'CheckReadoutQND', 'CheckOptimalReadoutAmplitude'].map(
      (task) => [kind, task] as const,
    ),
  ),
)('%s leaves the single shots of %s whole', async (kind, task) => {
  const inputs = { drag_hpi_amplitude: 0.1, drag_hpi_length: 16, drag_hpi_beta: 0.2 };
  const shots = 201;
  const measured = await measure(task, 'phenomena', { inputs, run: { shots }, faults: planOf(kind) });
  expect(measured.dataset.dims.shot).toBe(shots);
});

test('every phenomenon can be planned, and nothing else', () => {
  for (const kind of phenomenonKind.options) expect(planOf(kind).phenomena?.[0]?.size).toBe(1);
  for (const wrong of [{ phenomenon: 'moonlight' }, { phenomenon: 'hot', size: 0 }, { size: 1 }]) {
    expect(faultPlan.safeParse({ phenomena: [wrong] }).success).toBe(false);
  }
});

test('T1 wanders between two values and T2 stays below twice of it', () => {
  const wandering = truths(planOf('wandering_t1'));
  const ratios = wandering.map(({ t1 }, index) => t1 / (usual[index]?.t1 ?? 0));
  expect(Math.min(...ratios)).toBeLessThan(0.65);
  expect(Math.max(...ratios)).toBeGreaterThan(0.8);
  for (const { t1, t2Echo, t2Star } of wandering) {
    expect(t2Echo).toBeLessThanOrEqual(2 * t1);
    expect(t2Star).toBeLessThanOrEqual(t2Echo);
  }
});

test('the frequency jumps by tens of kHz, and the resonator follows', () => {
  const shifts = truths(planOf('wandering_frequency')).map((qubit, index) => ({
    f01: qubit.f01 - (usual[index]?.f01 ?? 0),
    resonator: qubit.resonatorGround - (usual[index]?.resonatorGround ?? 0),
  }));
  const sizes = shifts.map(({ f01 }) => Math.abs(f01));
  expect(Math.max(...sizes)).toBeLessThan(50e-6);
  expect(Math.max(...sizes)).toBeGreaterThan(20e-6);
  expect(shifts.some(({ f01 }) => f01 > 0) && shifts.some(({ f01 }) => f01 < 0)).toBe(true);
  expect(shifts.some(({ resonator }) => resonator !== 0)).toBe(true);
});

test('a defect passes by: T1 goes down to it and comes back', () => {
  const passed = truths(planOf('passing_defect')).map(({ t1 }, index) => t1 / (usual[index]?.t1 ?? 0));
  expect(Math.min(...passed)).toBeLessThan(0.5);
  expect(Math.max(...passed)).toBeGreaterThan(0.9);
});

test('waiting resets a qubit: the shorter the interval, the more is left of the shot before', () => {
  const populationAt = (interval: number) =>
    truths(planOf('no_reset'), ['0'], { interval })[0]?.thermalPopulation ?? expect.fail('no qubit');
  const thermal = usual[0]?.thermalPopulation ?? expect.fail('no qubit');
  const t1 = usual[0]?.t1 ?? expect.fail('no qubit');
  expect(populationAt(1e7)).toBeCloseTo(thermal, 6);
  expect(populationAt(1000 * t1)).toBeCloseTo(thermal + (0.5 - thermal) / Math.E, 6);
});

test('qubits of one line shift each other only where they are measured at once', () => {
  const faults = planOf('crosstalk');
  const shiftWith = (targets: string[]) => (truths(faults, targets)[0]?.f01 ?? 0) - (usual[0]?.f01 ?? 0);
  expect(shiftWith(['0'])).toBe(0);
  expect(shiftWith(['0', '5'])).toBe(0);
  expect(Math.abs(shiftWith(['0', '1']))).toBeGreaterThan(1e-6);
});

test('pulses drift by percents, and both states in the IQ plane', () => {
  const drives = truths(planOf('drifting_drive')).map(
    ({ maximumRabiFrequency }, index) => maximumRabiFrequency / (usual[index]?.maximumRabiFrequency ?? 0),
  );
  expect(Math.max(...drives) - Math.min(...drives)).toBeGreaterThan(0.01);
  expect(Math.max(...drives) - Math.min(...drives)).toBeLessThan(0.1);
  const directions = new Set(truths(planOf('drifting_readout')).map(({ direction }) => direction));
  expect(directions.size).toBeGreaterThan(2);
});

test('a digitiser that is stuck is found out, whatever a fit makes of its data', async () => {
  const measured = await measure('CheckT1', 'phenomena', { faults: planOf('stuck_digitiser') });
  expect(gate(measured.task, analyse(measured))?.message).toMatch(/repeats the same signal/);
});

test('the clock of a plan decides how far the device has drifted, whatever the time is', async () => {
  const measuredAt = async (now: string, clock?: Record<string, unknown>) => {
    const faults = faultPlan.parse({ phenomena: [{ phenomenon: 'device_drift' }], clock });
    const simulator = createSimulator({ seed: 'clock', faults, now: () => new Date(now) });
    const answer = await simulator.measure(requestOf(taskOf('CheckStatus'), '0', {}), quiet());
    expect(answer).toMatchObject({ started_at: new Date(now).toISOString() });
    const measured = await simulator.measure(requestOf(taskOf('CheckNoise'), '0', {}), quiet());
    return datasetOf(measureResult.parse(measured), '0').variables;
  };
  const [today, later] = ['2026-03-01T00:00:00Z', '2026-03-01T00:00:10Z'];
  const tenDaysOn = '2026-03-11T00:00:00.000Z';
  const stopped = { device: tenDaysOn };
  expect(await measuredAt(today, stopped)).toEqual(await measuredAt(later, stopped));
  const fast = { device: new Date(today).toISOString(), real: new Date(today).toISOString(), rate: 86_400 };
  expect(deviceTime(new Date(later), faultPlan.parse({ clock: fast }).clock).toISOString()).toBe(tenDaysOn);
  expect(deviceTime(new Date(later), undefined)).toEqual(new Date(later));
});
