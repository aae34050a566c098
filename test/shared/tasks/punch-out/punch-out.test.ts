import { describe, expect, test } from 'vitest';
import { trueQubit } from '../../../../shared/science/device/device.ts';
import { figure } from '../../../../shared/science/figures/model.ts';
import { photonShift, shiftSlopes } from '../../../../shared/science/fitting/photon-shift.ts';
import { analyse } from '../../../../shared/tasks/analyses.ts';
import { gate } from '../../../../shared/tasks/gates.ts';
import { coverageSeeds, expectHonestErrors } from '../../../support/coverage-rules.ts';
import { at, measure } from '../../../support/measured.ts';

const TASK = 'CheckPunchOut';
/** Part of the map, which is sufficient and fast enough for a test. */
const coarse = { frequency_range: [-0.04, 0.02, 61], power_range: [-40, 1, 5] };

describe('the shift of a resonator by its photons', () => {
  test('satisfies its equation, has a second state only with many photons, and has the derivatives of its differences', () => {
    const half = 0.0008;
    let bistable = 0;
    for (let index = 0; index < 600; index++) {
      const pull = index % 2 === 0 ? 0.01 : -0.008;
      const line = {
        offset: pull * (-0.2 + (1.4 * ((index * 37) % 101)) / 101),
        pull,
        half,
        photons: 10 ** (-2 + (5 * ((index * 17) % 89)) / 89),
      };
      const found = photonShift(line);
      const held = (line.photons * half ** 2) / (half ** 2 + found.detuning ** 2);
      expect(1 / Math.sqrt(1 + held)).toBeCloseTo(found.share, 9);
      if (found.isBistable) bistable += 1;
      if (line.photons < 0.05) expect(found.isBistable).toBe(false);
      const beside = (key: keyof typeof line) => [
        { ...line, [key]: line[key] * (1 + 1e-4) },
        { ...line, [key]: line[key] * (1 - 1e-4) },
      ];
      if (beside('offset').some((each) => photonShift(each).isBistable) || found.isBistable) continue;
      const slopes = shiftSlopes(line, found);
      for (const key of ['offset', 'pull', 'half', 'photons'] as const) {
        const [above, below] = beside(key).map(photonShift);
        const slope = ((above?.detuning ?? 0) - (below?.detuning ?? 0)) / (2e-4 * line[key]);
        expect(Math.abs(slopes[key] - slope)).toBeLessThan(0.02 * Math.abs(slope) + 1e-6);
      }
    }
    expect(bistable).toBeGreaterThan(10);
  });
});

describe(TASK, () => {
  test('finds the bare resonator, the pull and the power of the hidden device with honest errors', async () => {
    const deviations: Record<string, number[]> = {};
    for (let index = 0; index < coverageSeeds(60); index++) {
      const [seed, qid] = [`punch-out-${index}`, String(index % 16)];
      const qubit = trueQubit(seed, qid, at);
      const { outputs, refused } = analyse(await measure(TASK, seed, { qid, run: coarse }));
      expect(refused).toBeUndefined();
      const distance = qubit.resonatorBare - qubit.f01;
      const critical = distance ** 2 / (4 * qubit.coupling ** 2);
      const truths = {
        bare_resonator_frequency: qubit.resonatorBare,
        resonator_pull: (1000 * qubit.coupling ** 2) / distance,
        // 3160 photons at full power.
        punch_out_power: 10 * Math.log10(critical) - 35,
      };
      for (const [name, truth] of Object.entries(truths)) {
        const { value, error } = outputs[name] ?? expect.fail(`no ${name}`);
        deviations[name] = [...(deviations[name] ?? []), (value - truth) / error];
      }
    }
    expect(Object.keys(deviations)).toHaveLength(3);
    for (const values of Object.values(deviations)) expectHonestErrors(values);
  });

  test('finds the bare resonator as well as the noise allows, because its sweep is exact to the hertz', async () => {
    const found = await Promise.all(
      [1, 2, 6].map(async (index) => {
        const [seed, qid] = [`hertz-${index}`, String(index)];
        const { outputs } = analyse(await measure(TASK, seed, { qid, run: coarse }));
        const { value, error } = outputs.bare_resonator_frequency ?? expect.fail('no bare resonator');
        return { off: Math.abs(value - trueQubit(seed, qid, at).resonatorBare), error };
      }),
    );
    for (const { off, error } of found) {
      expect(off).toBeLessThan(4 * error);
      expect(off).toBeLessThan(6e-6);
    }
  });

  test('draws the fitted line over the map, and the residuals with the bistable points blank', async () => {
    // A resonator with a strong pull is bistable.
    const measured = await measure(TASK, 'cw-18', { qid: '2' });
    const analysis = analyse(measured);
    expect(gate(measured.task, analysis)).toBeNull();
    expect(Object.keys(analysis.outputs).sort()).toEqual(Object.keys(measured.task.outputs).sort());
    expect(analysis.figures).toHaveLength(measured.task.figures.length);
    for (const drawn of analysis.figures) expect(figure.parse(drawn)).toEqual(drawn);
    const [map, residuals] = analysis.figures;
    expect(map?.layout.title.text).toMatch(
      /^CheckPunchOut · qubit 2 · bare [\d.]+ ± [\d.]+ GHz, pull [\d.]+ ± [\d.]+ MHz$/,
    );
    const blank = residuals?.data[0]?.z?.map((row) => row.filter((value) => value === null).length) ?? [];
    expect(blank[0]).toBe(0);
    expect(Math.max(...blank)).toBeGreaterThan(2);
  });

  test('refuses powers at which the resonator does not shift, and sweeps that it leaves, with numbers', async () => {
    const low = await measure(TASK, 'punch-out', {
      qid: '1',
      run: { ...coarse, power_range: [-60, -35, 5] },
    });
    expect(analyse(low).refused).toMatch(/\d/);
    const narrow = await measure(TASK, 'punch-out', {
      qid: '1',
      run: { ...coarse, frequency_range: [-0.003, 0.02, 61] },
    });
    expect(analyse(narrow).refused).toMatch(/outside of the sweep|not resolved|does not describe/);
  });

  test('refuses noise, two resonators in one and invalid data', async () => {
    for (let index = 0; index < 3; index++) {
      const faults = { rules: [{ match: {}, behaviour: 'noise' as const }] };
      const measured = await measure(TASK, `noise-${index}`, { faults, run: coarse });
      const analysis = analyse(measured);
      expect(gate(measured.task, analysis)).not.toBeNull();
      expect(analysis.figures.length).toBeGreaterThan(0);
    }
    const faults = { rules: [], defects: [{ qids: ['0'], defect: 'close_resonator' as const }] };
    const measured = await measure(TASK, 'punch-out', { qid: '0', faults, run: coarse });
    expect(gate(measured.task, analyse(measured))).not.toBeNull();
    const empty = { dims: {}, coordinates: {}, variables: {} };
    expect(analyse({ ...measured, dataset: empty }).refused).toMatch(/power/);
  });
});
