import { describe, expect, test } from 'vitest';
import { createSimulator } from '../../../../activities/backends/simulator/simulator.ts';
import type { Phenomenon } from '../../../../shared/science/device/phenomena.ts';
import { figure } from '../../../../shared/science/figures/model.ts';
import { analyse } from '../../../../shared/tasks/analyses.ts';
import { gate } from '../../../../shared/tasks/gates.ts';
import { fitRounds, readRounds } from '../../../../shared/tasks/stability/round-fits.ts';
import { expectHonestErrors } from '../../../support/coverage-rules.ts';
import { perfectInputs } from '../../../support/drag-inputs.ts';
import { at, measure } from '../../../support/measured.ts';
import { repetitions } from '../../../support/repetitions.ts';

const TASK = 'CheckStability';
const INTERVAL_S = 180;

function plan(...phenomena: Phenomenon['phenomenon'][]) {
  return { rules: [], phenomena: phenomena.map((phenomenon) => ({ phenomenon, size: 1 })) };
}

function rounds(seed: string, qid: string, faults = plan()) {
  return measure(TASK, seed, { qid, inputs: perfectInputs(seed, qid), faults });
}

describe(TASK, () => {
  test('finds T1, frequency and signal of the device in each round, with honest errors', async () => {
    const faults = plan('wandering_t1', 'wandering_frequency');
    const deviations: [number[], number[]] = [[], []];
    for (let index = 0; index < repetitions({ quick: 2, soak: 6 }); index++) {
      const [seed, qid] = [`stability-${index}`, String(index)];
      const measured = await rounds(seed, qid, faults);
      const simulator = createSimulator({ seed, faults, now: () => at });
      const read = readRounds(measured.dataset);
      if (typeof read === 'string') return expect.fail(read);
      const drive = Number(measured.inputs.qubit_frequency?.value) + 0.0005;
      const found = fitRounds(read, 1024);
      expect(found.length).toBe(40);
      for (const round of found) {
        const then = new Date(at.getTime() + 1000 * round.at);
        const qubit = simulator.truthOf(measured.request, qid, then);
        deviations[0].push((round.logT1.value - Math.log(1000 * qubit.t1)) / round.logT1.error);
        deviations[1].push((drive - round.fringe.value - qubit.f01) / round.fringe.error);
      }
    }
    for (const each of deviations) expectHonestErrors(each);
  });

  test('reports no jumps of quiet devices with any drift, and draws every round', async () => {
    for (let index = 0; index < repetitions({ quick: 4, soak: 30 }); index++) {
      const measured = await rounds(`quiet-${index}`, String(index % 16));
      const analysis = analyse(measured);
      expect(gate(measured.task, analysis)).toBeNull();
      expect(Object.keys(analysis.outputs).sort()).toEqual(Object.keys(measured.task.outputs).sort());
      for (const quantity of ['t1', 'frequency', 'readout']) {
        expect(analysis.outputs[`stability_${quantity}_jumps`]?.value).toBe(0);
      }
      expect(analysis.figures).toHaveLength(1);
      const [drawn] = analysis.figures;
      expect(figure.parse(drawn)).toEqual(drawn);
      expect(drawn?.layout.title.text).toBe(
        `CheckStability · qubit ${index % 16} · jumps: t1 0, frequency 0, readout 0`,
      );
    }
  });

  test('reports the times and sizes of jumps of T1 and the frequency', async () => {
    const faults = plan('wandering_t1', 'wandering_frequency');
    let alarms = 0;
    for (let index = 0; index < 3; index++) {
      const [seed, qid] = [`stab-${index}`, String(index)];
      const measured = await rounds(seed, qid, faults);
      const { outputs } = analyse(measured);
      const simulator = createSimulator({ seed, faults, now: () => at });
      const qubitAt = (seconds: number) =>
        simulator.truthOf(measured.request, qid, new Date(at.getTime() + 1000 * seconds));
      for (const [quantity, of] of [
        ['t1', (seconds: number) => qubitAt(seconds).t1],
        ['frequency', (seconds: number) => 1000 * qubitAt(seconds).f01],
      ] as const) {
        const [count, size, when] = ['jumps', 'jump', 'jump_time'].map(
          (what) => outputs[`stability_${quantity}_${what}`] ?? expect.fail(`no ${quantity} ${what}`),
        );
        if (count === undefined || size === undefined || when === undefined || count.value === 0) continue;
        alarms += 1;
        // A value at the boundary may count to either side.
        const moved = of(when.value + 1.5 * INTERVAL_S) - of(when.value - 1.5 * INTERVAL_S);
        expect(Math.sign(size.value)).toBe(Math.sign(moved));
        expect(Math.abs(size.value - moved)).toBeLessThan(5 * size.error);
      }
    }
    expect(alarms).toBeGreaterThan(2);
  });

  test('refuses noise, an instrument that freezes or jumps within its sweeps, and invalid data', async () => {
    const noise = { rules: [{ match: {}, behaviour: 'noise' as const }] };
    const inputs = perfectInputs('spoilt');
    const noisy = await measure(TASK, 'spoilt', { inputs, faults: noise });
    expect(analyse(noisy).refused).toMatch(/^\d+ of 40 rounds/);
    for (const spoilt of ['stuck_digitiser', 'offset_jump'] as const) {
      const measured = await rounds('spoilt', '0', plan(spoilt));
      expect(gate(measured.task, analyse(measured))).not.toBeNull();
    }
    const empty = { dims: {}, coordinates: {}, variables: {} };
    expect(analyse({ ...noisy, dataset: empty }).refused).toMatch(/rounds/);
    expect(analyse({ ...noisy, inputs: {} }).refused).toMatch(/are unknown$/);
  });
});
