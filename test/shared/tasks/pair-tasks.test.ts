import { beforeAll, describe, expect, test } from 'vitest';
import { decodeNetcdf, encodeNetcdf } from '../../../shared/science/datasets/netcdf.ts';
import { figure } from '../../../shared/science/figures/model.ts';
import { analyse } from '../../../shared/tasks/analyses.ts';
import { calibratePair, measurePair, pairChain } from '../../support/pairs.ts';
import { healthy, PAIR_SEED } from './pair-failures.ts';

describe('a pair from blank to benchmarked', () => {
  let calibrated: Awaited<ReturnType<typeof calibratePair>>;
  beforeAll(async () => {
    calibrated = await calibratePair(PAIR_SEED, '0-2', healthy);
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
      'zx90_rotation_error',
      'bell_state_fidelity',
      'two_qubit_gate_coherence_limit',
      'zx90_gate_fidelity',
      'zx90_depolarizing_rate',
    ]);
  });

  test('has a gate whose fidelity, Bell state and coherence limit agree', async () => {
    const { coupling } = calibrated.known;
    const of = (name: string) => coupling[name] ?? expect.fail(`no ${name}`);
    const limit = of('two_qubit_gate_coherence_limit').value;
    const gateFidelity = of('zx90_gate_fidelity');
    expect(Math.abs(gateFidelity.value - limit)).toBeLessThan(0.004 + 5 * gateFidelity.error);
    const bell = of('bell_state_fidelity');
    expect(Math.abs(bell.value - gateFidelity.value)).toBeLessThan(0.01 + 5 * bell.error);
    // The rate of the gate itself, not that of the Cliffords of the comparison.
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
        // The axis of a fit is below its residuals.
        expect((each.layout.xaxis2 ?? each.layout.xaxis).title.text).not.toBe('');
        expect(each.layout.yaxis.title.text).not.toBe('');
      }
    },
  );

  test('draws the number of figures in the catalog', async () => {
    for (const [name, { figures }] of calibrated.analyses) {
      const { task } = await measurePair(name, { seed: PAIR_SEED, qid: '0-2' }, calibrated.known);
      expect(figures).toHaveLength(task.figures.length);
    }
  });

  test('draws the residuals of the tomography for both states of the control, in deviations', () => {
    const figures = calibrated.analyses.get('CheckCrossResonance')?.figures ?? [];
    const targets = figures.filter(({ data }) => data.some(({ name }) => name === 'x fit'));
    expect(targets).toHaveLength(4);
    for (const { data, layout } of targets) {
      for (const axis of ['x2', 'x4']) {
        const left = data.filter(({ xaxis, name }) => xaxis === axis && name !== 'no residual');
        expect(left.map(({ name }) => name)).toEqual(['x', 'y', 'z']);
        const values = left.flatMap(({ y }) => y);
        const square = values.reduce((sum, value) => sum + value ** 2, 0) / values.length;
        expect(square).toBeGreaterThan(0.5);
        expect(square).toBeLessThan(2);
      }
      expect([layout.yaxis2, layout.yaxis4].map((axis) => axis?.title.text)).toEqual([
        'Residual (σ)',
        'Residual (σ)',
      ]);
    }
  });

  test('draws the density matrix with 00 at the top left, white at 0, its values in the cells', async () => {
    const [real, imaginary] = calibrated.analyses.get('CheckBellStateTomography')?.figures ?? [];
    for (const each of [real, imaginary]) {
      const [trace] = each?.data ?? [];
      expect(trace?.type).toBe('heatmap');
      expect(trace?.zmax).toBeGreaterThanOrEqual(0.5);
      expect(trace?.zmin).toBe(-(trace?.zmax ?? 0));
      const middle = trace?.colorscale?.find(([place]) => place === 0.5);
      expect(middle).toEqual([0.5, '#f7f7f7']);
      expect(trace?.text?.[0]?.[1]).toMatch(/^-?0\.\d{3}$/);
      expect(each?.layout.yaxis.autorange).toBe('reversed');
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
      const { dataset } = await measurePair(name, { seed: PAIR_SEED, qid: '0-2' }, calibrated.known);
      for (const each of [...Object.values(dataset.coordinates), ...Object.values(dataset.variables)]) {
        expect(each.long_name).not.toBe('');
        expect(['', 'a.u.', 'ns', 'GHz']).toContain(each.unit);
      }
      expect(decodeNetcdf(encodeNetcdf(dataset, { title: name })).dataset).toEqual(dataset);
    },
  );
});

describe('every task of a pair refuses', () => {
  test('noise without any signal', async () => {
    const faults = { rules: [{ match: {}, behaviour: 'noise' as const }] };
    const { known } = await calibratePair(PAIR_SEED, '0-2', healthy);
    for (const name of pairChain.filter((each) => each !== 'Check2QGateCoherenceLimit')) {
      const { failure } = await calibratePair(PAIR_SEED, '0-2', known, { tasks: [name], faults });
      expect(failure).toMatch(new RegExp(`^${name}: `));
    }
  });

  test('incomplete data, each task with a message', async () => {
    const { known } = await calibratePair(PAIR_SEED, '0-2', healthy);
    for (const name of pairChain) {
      const measured = await measurePair(name, { seed: PAIR_SEED, qid: '0-2' }, known);
      const empty = { dims: {}, coordinates: {}, variables: {} };
      const inputs = name === 'Check2QGateCoherenceLimit' ? {} : measured.inputs;
      const { outputs, refused } = analyse({ ...measured, dataset: empty, inputs });
      expect(outputs).toEqual({});
      expect(refused).toMatch(/the dataset|prepared states|numbers above 0/);
    }
  });
});
