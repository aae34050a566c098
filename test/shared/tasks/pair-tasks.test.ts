import { beforeAll, describe, expect, test } from 'vitest';
import { decodeNetcdf, encodeNetcdf } from '../../../shared/science/datasets/netcdf.ts';
import type { DefectKind } from '../../../shared/science/device/defects.ts';
import { figure } from '../../../shared/science/figures/model.ts';
import { pairCoherenceInfidelity } from '../../../shared/science/quantum/gate-coherence.ts';
import { analyse } from '../../../shared/tasks/analyses.ts';
import { gate } from '../../../shared/tasks/gates.ts';
import {
  calibratedPair,
  calibratePair,
  type KnownPair,
  measurePair,
  pairChain,
} from '../../support/pairs.ts';

const seed = 'pair-tasks';

/** What is known of a pair, one value of it changed. */
function changed(
  known: KnownPair,
  side: keyof KnownPair,
  name: string,
  change: (value: number) => number,
): KnownPair {
  const { value, error } = known[side][name] ?? expect.fail(`no ${name}`);
  return { ...known, [side]: { ...known[side], [name]: { value: change(value), error } } };
}

const healthy = calibratedPair(seed, '0', '2');

async function failureOf(known: KnownPair, tasks: string[], defect?: [string, DefectKind]) {
  const faults = defect && { rules: [], defects: [{ qids: [defect[0]], defect: defect[1] }] };
  return (await calibratePair(seed, '0-2', known, { tasks, faults })).failure;
}

describe('a pair from blank to benchmarked', () => {
  let calibrated: Awaited<ReturnType<typeof calibratePair>>;
  beforeAll(async () => {
    calibrated = await calibratePair(seed, '0-2', healthy);
  });

  test('passes every task, with finite outputs that have an error', async () => {
    const { failure, known } = calibrated;
    expect(failure).toBeNull();
    expect(Object.keys(known.coupling)).toEqual([
      'static_zz_interaction',
      'cr_amplitude',
      'cr_phase',
      'cancel_amplitude',
      'cancel_phase',
      'cancel_beta',
      'rotary_amplitude',
      'zx_rotation_rate',
      'zx90_gate_time',
      'bell_state_fidelity',
      'two_qubit_gate_coherence_limit',
      'zx90_gate_fidelity',
      'zx90_depolarizing_rate',
    ]);
  });

  test('has a gate of which fidelity, Bell state and coherence limit tell the same', async () => {
    const { coupling } = calibrated.known;
    const of = (name: string) => coupling[name] ?? expect.fail(`no ${name}`);
    const limit = of('two_qubit_gate_coherence_limit').value;
    const gateFidelity = of('zx90_gate_fidelity');
    expect(Math.abs(gateFidelity.value - limit)).toBeLessThan(0.004 + 5 * gateFidelity.error);
    const bell = of('bell_state_fidelity');
    expect(Math.abs(bell.value - gateFidelity.value)).toBeLessThan(0.01 + 5 * bell.error);
    // The gate's own, not that of the Cliffords it is compared with.
    const lost = of('zx90_depolarizing_rate').value;
    expect(lost).toBeCloseTo((4 / 3) * (1 - gateFidelity.value), 10);
  });

  test.each(pairChain)(
    '%s draws its figures with the coupling in the title and units on the axes',
    async (name) => {
      const drawn = calibrated.analyses.get(name)?.figures ?? [];
      expect(drawn.length).toBeGreaterThan(0);
      for (const each of drawn) {
        expect(figure.parse(each)).toEqual(each);
        expect(each.layout.title.text).toContain(`${name} · coupling 0-2`);
        expect(each.layout.xaxis.title.text).not.toBe('');
        expect(each.layout.yaxis.title.text).not.toBe('');
      }
    },
  );

  test('draws as many figures as the catalog says', async () => {
    for (const [name, { figures }] of calibrated.analyses) {
      const { task } = await measurePair(name, { seed, qid: '0-2' }, calibrated.known);
      expect(figures).toHaveLength(task.figures.length);
    }
  });

  test('draws the density matrix from −1 to 1, with the states on both axes', async () => {
    const [real, imaginary] = calibrated.analyses.get('CheckBellStateTomography')?.figures ?? [];
    for (const each of [real, imaginary]) {
      expect(each?.data[0]).toMatchObject({ type: 'heatmap', zmin: -1, zmax: 1 });
      expect(each?.layout.xaxis.ticktext).toEqual(['00', '01', '10', '11']);
    }
    const rho = real?.data[0]?.z ?? [];
    for (const [row, column] of [
      [0, 0],
      [0, 3],
      [3, 0],
      [3, 3],
    ] as const) {
      expect(rho[row]?.[column]).toBeCloseTo(0.5, 1);
    }
    const trace = rho.reduce((sum, row, index) => sum + (row[index] ?? 0), 0);
    expect(trace).toBeCloseTo(1, 6);
  });

  test.each(pairChain.filter((name) => name !== 'Check2QGateCoherenceLimit'))(
    '%s keeps its data with axes and units in a file that reads back the same',
    async (name) => {
      const { dataset } = await measurePair(name, { seed, qid: '0-2' }, calibrated.known);
      for (const each of [...Object.values(dataset.coordinates), ...Object.values(dataset.variables)]) {
        expect(each.long_name).not.toBe('');
        expect(['', 'a.u.', 'ns', 'GHz']).toContain(each.unit);
      }
      expect(decodeNetcdf(encodeNetcdf(dataset, { title: name })).dataset).toEqual(dataset);
    },
  );
});

describe('the tomography refuses', () => {
  const tasks = ['CheckCrossResonance'];

  test.each([
    ['dead', /control: the prepared states do not differ/],
    ['low_contrast', /control: the prepared states do not differ/],
    ['short_t1', /the control does not keep its state/],
  ] as const)('a control that is %s', async (defect, reason) => {
    expect(await failureOf(healthy, tasks, ['0', defect])).toMatch(reason);
  });

  test('a target that does not answer', async () => {
    expect(await failureOf(healthy, tasks, ['2', 'dead'])).toMatch(
      /target: the prepared states do not differ/,
    );
  });

  test('a pair whose frequencies collide', async () => {
    const neighbour = calibratedPair(seed, '0', '1');
    const { value = 0 } = neighbour.target.qubit_frequency ?? {};
    const known = changed(neighbour, 'control', 'qubit_frequency', () => value + 0.001);
    const faults = { rules: [], defects: [{ qids: ['0'], defect: 'collision' as const }] };
    const { failure } = await calibratePair(seed, '0-1', known, { tasks, faults });
    expect(failure).toMatch(/the control does not keep its state .* may collide/);
  });

  test('a drive that misses the frequency of the target', async () => {
    const known = changed(healthy, 'target', 'qubit_frequency', (value) => value + 0.001);
    expect(await failureOf(known, tasks)).toMatch(
      /the drive is not at the frequency of the target: IZ is -1\.0/,
    );
  });

  test('readout at a wrong frequency', async () => {
    const known = changed(healthy, 'target', 'readout_frequency', (value) => value + 0.2);
    expect(await failureOf(known, tasks)).toMatch(/target: the prepared states do not differ/);
  });

  test('noise without any signal', async () => {
    const faults = { rules: [{ match: {}, behaviour: 'noise' as const }] };
    for (const name of pairChain.filter((each) => each !== 'Check2QGateCoherenceLimit')) {
      const { known } = await calibratePair(seed, '0-2', healthy);
      const { failure } = await calibratePair(seed, '0-2', known, { tasks: [name], faults });
      expect(failure).toMatch(new RegExp(`^${name}: `));
    }
  });

  test('data that lack what it needs, each task with a sentence', async () => {
    const { known } = await calibratePair(seed, '0-2', healthy);
    for (const name of pairChain) {
      const measured = await measurePair(name, { seed, qid: '0-2' }, known);
      const empty = { dims: {}, coordinates: {}, variables: {} };
      const inputs = name === 'Check2QGateCoherenceLimit' ? {} : measured.inputs;
      const { outputs, refused } = analyse({ ...measured, dataset: empty, inputs });
      expect(outputs).toEqual({});
      expect(refused).toMatch(/the dataset|prepared states|numbers above 0/);
    }
  });
});

describe('a gate that a bad value spoils', () => {
  let made: Awaited<ReturnType<typeof calibratePair>>;
  beforeAll(async () => {
    made = await calibratePair(seed, '0-2', healthy, { tasks: ['CheckCrossResonance', 'CreateZX90'] });
  });

  test('does not repeat as it should with a wrong amplitude or phase', async () => {
    const { known } = made;
    const stronger = changed(known, 'coupling', 'cr_amplitude', (value) => 1.3 * value);
    expect(await failureOf(stronger, ['CheckZX90'])).toMatch(/CheckZX90: The fit of CheckZX90/);
    const turned = changed(known, 'coupling', 'cr_phase', (value) => value + 1);
    expect(await failureOf(turned, ['CheckZX90'])).toMatch(/CheckZX90: The fit of CheckZX90/);
  });

  test('makes no Bell state with a tone of the opposite phase', async () => {
    const { known } = made;
    const opposite = changed(known, 'coupling', 'cr_phase', (value) => value - Math.PI);
    expect(await failureOf(opposite, ['CheckBellState'])).toMatch(/the outcomes 00 and 11 have only/);
    expect(await failureOf(opposite, ['CheckBellStateTomography'])).toMatch(/not entangled beyond doubt/);
  });

  test('has a lower fidelity with a phase that is a little off', async () => {
    const { known } = made;
    const name = 'ZX90InterleavedRandomizedBenchmarking';
    const fidelity = async (pair: KnownPair) => {
      const measured = await measurePair(name, { seed, qid: '0-2' }, pair);
      const analysis = analyse(measured);
      expect(gate(measured.task, analysis)).toBeNull();
      return analysis.outputs.zx90_gate_fidelity?.value ?? 0;
    };
    const spoilt = changed(known, 'coupling', 'cr_phase', (value) => value + 0.4);
    expect(await fidelity(spoilt)).toBeLessThan((await fidelity(known)) - 0.02);
  });

  test('is refused where both signals do not meet within the sweep', async () => {
    const { known } = made;
    const slower = changed(known, 'coupling', 'zx_rotation_rate', (value) => 3 * value);
    expect(await failureOf(slower, ['CreateZX90'])).toMatch(/^CreateZX90: The fit of CreateZX90/);
  });

  test('is not calibrated with an interaction that the control is not there for', async () => {
    const weak = changed(healthy, 'control', 'qubit_frequency', (value) => value + 0.4);
    expect(await failureOf(weak, ['CheckStaticZZ'])).toMatch(/control: the prepared states do not differ/);
  });
});

describe('the coherence limit of a pair', () => {
  test.each([
    [200, 0.0053],
    [300, 0.008],
    [464, 0.012],
  ])('leaves an error as published after %d ns at T1 = 60 us and T2 = 40 us', (time, error) => {
    const times = { t1: 60_000, t2: 40_000 };
    expect(Math.abs(pairCoherenceInfidelity(time, times, times) / error - 1)).toBeLessThan(0.025);
  });

  test('grows from nothing to that of a mixed state', () => {
    const times = { t1: 60, t2: 40 };
    expect(pairCoherenceInfidelity(0, times, times)).toBe(0);
    expect(pairCoherenceInfidelity(1e9, times, times)).toBeCloseTo(3 / 4, 12);
  });

  test('carries the errors of the times into that of the fidelity', async () => {
    const { known } = await calibratePair(seed, '0-2', healthy, {
      tasks: ['CheckCrossResonance', 'CreateZX90'],
    });
    const limitWith = async (error: number) => {
      const { value = 0 } = known.control.t1_average ?? {};
      const pair = { ...known, control: { ...known.control, t1_average: { value, error } } };
      const { outputs } = analyse(await measurePair('Check2QGateCoherenceLimit', { seed, qid: '0-2' }, pair));
      return outputs.two_qubit_gate_coherence_limit ?? expect.fail('no limit');
    };
    expect((await limitWith(0)).error).toBe(0);
    const [one, two] = [await limitWith(1), await limitWith(2)];
    expect(one.error).toBeGreaterThan(0);
    expect(two.error / one.error).toBeCloseTo(2, 6);
  });
});
