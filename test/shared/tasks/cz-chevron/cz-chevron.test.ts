import { describe, expect, test } from 'vitest';
import { resolveInputs } from '../../../../activities/record/preparing.ts';
import { czSplitting } from '../../../../shared/science/device/flux-gate.ts';
import { figure } from '../../../../shared/science/figures/model.ts';
import { analyse } from '../../../../shared/tasks/analyses.ts';
import type { Analysis } from '../../../../shared/tasks/common/analysis/model.ts';
import { gate } from '../../../../shared/tasks/gates.ts';
import { MAX_PASSES } from '../../../../shared/tasks/next-pass.ts';
import { sweepPoints } from '../../../../shared/tasks/run-parameters.ts';
import { expectHonestErrors } from '../../../support/coverage-rules.ts';
import { type FluxPair, fluxPair } from '../../../support/flux-pairs.ts';
import { taskNamed } from '../../../support/ids.ts';
import { taskOf } from '../../../support/measured.ts';
import { measurePair } from '../../../support/pairs.ts';
import { repetitions, soaking } from '../../../support/repetitions.ts';

const name = 'CheckCZChevron';
const task = taskOf(name);
const PAIRS = repetitions({ quick: 4, soak: 60 });

/**
 * Measures like a run: repeats the measurement with the settings that the analysis requests, up to the limit of passes.
 */
async function chevron({ seed, qid, known }: FluxPair, run: Record<string, unknown> = {}) {
  const asked: Analysis[] = [];
  let settings = run;
  for (let pass = 1; ; pass++) {
    const measured = await measurePair(name, { seed, qid }, known, {
      run: settings,
      taskId: taskNamed(`pass ${pass}`),
    });
    const analysis = analyse(measured);
    asked.push(analysis);
    if (gate(task, analysis) === null || !analysis.again || pass === MAX_PASSES) return { analysis, asked };
    const changes = Object.entries(analysis.again.run).map(([key, { value }]) => [key, value]);
    settings = { ...settings, ...Object.fromEntries(changes) };
  }
}

describe('the analysis of CheckCZChevron', () => {
  test('finds amplitude and length of the pulse with honest errors, with a finer sweep around the resonance', async () => {
    const pulls: Record<string, number[]> = { cz_flux_amplitude: [], cz_gate_time: [], cz_splitting: [] };
    for (let index = 0; index < PAIRS; index++) {
      const flux = fluxPair(index);
      const { analysis, asked } = await chevron(flux);
      expect(gate(task, analysis)).toBeNull();
      expect(asked.length).toBeGreaterThan(1);
      expect(asked[0]?.again?.run).toHaveProperty('flux_amplitude_range');
      const truth: Record<string, number> = {
        cz_flux_amplitude: flux.amplitude,
        cz_gate_time: flux.gateTime,
        cz_splitting: 1000 * czSplitting(flux.pair),
      };
      for (const [output, values] of Object.entries(pulls)) {
        const { value = Number.NaN, error = Number.NaN } = analysis.outputs[output] ?? {};
        values.push((value - (truth[output] ?? Number.NaN)) / error);
      }
    }
    for (const [output, values] of Object.entries(pulls)) {
      if (soaking) expectHonestErrors(values);
      for (const value of values) expect(Math.abs(value), output).toBeLessThan(5);
    }
  });

  test('draws the map with the pulse, and the exchange at resonance', async () => {
    const flux = fluxPair(1);
    const { amplitude } = flux;
    const near = { flux_amplitude_range: [0.95 * amplitude, 1.05 * amplitude, 31] };
    const { analysis } = await chevron(flux, near);
    const [map, line] = analysis.figures;
    expect(analysis.figures.map((each) => figure.parse(each))).toEqual(analysis.figures);
    expect(map?.layout.title.text).toMatch(
      new RegExp(`^${name} · coupling ${flux.qid} · CZ: [\\d.]+ ± [\\d.e-]+ a\\.u\\., [\\d.]+ ± [\\d.]+ ns$`),
    );
    expect(map?.data).toHaveLength(2);
    expect(line?.layout.title.text).toContain('flux amplitude');
  });

  test('reports that nothing is exchanged if the resonance is outside of the sweep, and plays nothing beyond the limit', async () => {
    const flux = fluxPair(2);
    const low = { flux_amplitude_range: [0.01, 0.6 * flux.amplitude, 41] };
    const beyond = await chevron(flux, low);
    expect(beyond.analysis.refused).toMatch(/^no amplitude takes the excitation away: /);
    expect(beyond.analysis.refused).not.toContain('flux_pulse_limit');
    const atLimit = { flux_pulse_limit: { value: 0.601 * flux.amplitude, error: 0 } };
    const cut = { ...flux, known: { ...flux.known, coupling: { ...flux.known.coupling, ...atLimit } } };
    expect((await chevron(cut, low)).analysis.refused).toMatch(
      /^no amplitude takes the excitation away: .*; flux_pulse_limit limits the sweep to 0\.\d+$/,
    );
    const limited = { ...flux.known.coupling, flux_pulse_limit: { value: 0.3, error: 0 } };
    await expect(measurePair(name, flux, { ...flux.known, coupling: limited })).rejects.toThrow(
      /^The flux line may be given 0.3 at most, not 0.3025/,
    );
  });

  test('requests longer pulses if the excitation does not return within the sweep', async () => {
    const flux = fluxPair(3);
    const { amplitude, gateTime } = flux;
    const { asked } = await chevron(flux, {
      flux_amplitude_range: [0.96 * amplitude, 1.04 * amplitude, 31],
      time_range: [0, 0.8 * gateTime, 2],
    });
    expect(asked[0]?.refused).toMatch(/^the excitation is not back within \d+ ns$/);
    expect(asked[0]?.again?.run).toHaveProperty('time_range');
  });

  test('requests no pulses beyond the bounds of its parameter', async () => {
    const flux = fluxPair(3);
    const { amplitude, gateTime } = flux;
    const measured = await measurePair(name, flux, flux.known, {
      run: {
        flux_amplitude_range: [0.96 * amplitude, 1.04 * amplitude, 31],
        time_range: [0, 0.8 * gateTime, 2],
      },
    });
    const longestFor = (maximum: number) => {
      const timeRange = measured.task.runParameters.time_range ?? expect.fail('no time_range');
      const bounded = { ...timeRange, bounds: { minimum: 0, maximum } };
      const runParameters = { ...measured.task.runParameters, time_range: bounded };
      const { again, refused } = analyse({ ...measured, task: { ...measured.task, runParameters } });
      expect(refused).toMatch(/^the excitation is not back within \d+ ns$/);
      const asked = again?.run.time_range;
      const points = asked && sweepPoints(asked);
      const value = asked?.value;
      if (Array.isArray(value)) expect(Number(value[1])).toBeLessThanOrEqual(maximum);
      return points?.ok ? Math.max(...points.value) : null;
    };
    expect(longestFor(10_000)).toBeGreaterThan(2 * gateTime);
    expect(longestFor(gateTime)).toBeLessThanOrEqual(gateTime);
    expect(longestFor(0.5 * gateTime)).toBeNull();
  });

  test('refuses an instrument that repeats one point', async () => {
    const flux = fluxPair(1);
    const { amplitude } = flux;
    const measured = await measurePair(name, flux, flux.known, {
      run: { flux_amplitude_range: [0.95 * amplitude, 1.05 * amplitude, 31] },
    });
    const frozen = ['re', 'im'].map((part) => {
      const variable = measured.dataset.variables[`iq_${part}`] ?? expect.fail('no signal');
      const values = variable.values.map((value, index, all) =>
        index > 10 && index < 16 ? (all[10] ?? value) : value,
      );
      return [`iq_${part}`, { ...variable, values }];
    });
    const variables = { ...measured.dataset.variables, ...Object.fromEntries(frozen) };
    const { refused } = analyse({ ...measured, dataset: { ...measured.dataset, variables } });
    expect(refused).toMatch(/^the instrument repeats/);
  });
});

test.each([name, 'CheckCZPhase', 'CZInterleavedRandomizedBenchmarking'])(
  '%s refuses a pair whose chip declares no flux line, before any measurement',
  (each) => {
    const definition = taskOf(each);
    const planned = { input_overrides: {}, run_parameters: {}, scope: definition.scope, name: each };
    const { problem } = resolveInputs({ definition, planned }, { qid: '0-1', data: {} });
    expect(problem).toMatch(/needs values that target 0-1 does not have yet: .*flux_pulse_limit/);
  },
);
