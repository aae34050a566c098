import { describe, expect, test } from 'vitest';
import { createSimulator } from '../../../../activities/backends/simulator/simulator.ts';
import { rememberPoints, reverseSweep } from '../../../../shared/science/device/spoilt-data.ts';
import { analyse } from '../../../../shared/tasks/analyses.ts';
import { gate } from '../../../../shared/tasks/gates.ts';
import { coverageSeeds, expectHonestErrors } from '../../../support/coverage-rules.ts';
import { perfectInputs } from '../../../support/drag-inputs.ts';
import { at, measure } from '../../../support/measured.ts';
import { spread } from '../honest-errors.ts';
import { promisedFigures } from '../promised-results.ts';

const TASK = 'CheckEFSpectroscopy';
const sweep = (
  seed: string,
  qid = '0',
  { inputs = {}, run = {} }: { inputs?: Record<string, number>; run?: Record<string, unknown> } = {},
) => measure(TASK, seed, { qid, run, inputs: { ...perfectInputs(seed, qid), ...inputs } });

/** The same with an anharmonicity from a map of the qubit. */
async function sweepKnowing(anharmonicity: number, error: number | null = 1e-3) {
  const measured = await sweep('ef');
  const known = { value: anharmonicity, unit: 'GHz', value_type: 'float', error };
  return { ...measured, inputs: { ...measured.inputs, anharmonicity: known } };
}

describe('CheckEFSpectroscopy', () => {
  test('finds the outputs of the catalog and draws the line with its residuals', async () => {
    const measured = await sweep('ef', '5');
    const analysis = analyse(measured);
    for (const drawn of promisedFigures(measured, analysis)) {
      expect(drawn.layout.title.text).toMatch(/^CheckEFSpectroscopy · qubit 5 · f12 = [\d.]+ ± [\d.]+ GHz$/);
      expect(drawn.data[0]?.error_y).toBeDefined();
    }
  });

  test('has honest errors over fixed seeds, with a drive that is up to 30 % too strong or weak', async () => {
    const deviations: Record<string, number[]> = { ef_frequency: [], anharmonicity: [] };
    for (let index = 0; index < coverageSeeds(60); index++) {
      const [seed, qid] = [`ef-${index}`, String(index % 16)];
      const { control_amplitude } = perfectInputs(seed, qid);
      const inputs = { control_amplitude: control_amplitude * (1 + 0.1 * spread(index)) };
      const measured = await sweep(seed, qid, { inputs });
      const analysis = analyse(measured);
      expect(gate(measured.task, analysis)).toBeNull();
      const { f01, anharmonicity } = createSimulator({ seed }).truthOf(measured.request, qid, at);
      for (const [name, truth] of Object.entries({ ef_frequency: f01 + anharmonicity, anharmonicity })) {
        const { value, error } = analysis.outputs[name] ?? expect.fail(`no ${name}`);
        deviations[name]?.push((value - truth) / error);
        expect(error).toBeLessThan(1e-4);
      }
    }
    for (const values of Object.values(deviations)) expectHonestErrors(values);
  });

  test('takes into account that each point retains a tenth of the previous one, and reports it', async () => {
    const pulls: number[] = [];
    const notes: string[] = [];
    for (let index = 0; index < 12; index++) {
      const [seed, qid] = [`memory-${index}`, String(index)];
      const measured = await sweep(seed, qid);
      rememberPoints(measured.dataset);
      const analysis = analyse(measured);
      expect(gate(measured.task, analysis)).toBeNull();
      const { f01, anharmonicity } = createSimulator({ seed }).truthOf(measured.request, qid, at);
      const { value = 0, error = 1 } = analysis.outputs.ef_frequency ?? {};
      pulls.push((value - f01 - anharmonicity) / error);
      notes.push(...(analysis.notes ?? []));
    }
    // Without the memory, the line would be found a ninth of a step, or 7 errors, too far.
    expect(Math.max(...pulls.map(Math.abs))).toBeLessThan(5);
    expect(
      notes.filter((note) => /retains [\d.]+ ± [\d.]+ % of the previous one/.test(note)).length,
    ).toBeGreaterThan(8);
  });

  test('adds the error of the qubit frequency to that of the anharmonicity', async () => {
    const measured = await sweep('ef');
    const { qubit_frequency: first } = measured.inputs;
    const given = { ...first, value: first?.value ?? 0, unit: 'GHz', value_type: 'float', error: 2e-3 };
    const analysis = analyse({ ...measured, inputs: { ...measured.inputs, qubit_frequency: given } });
    expect(analysis.outputs.anharmonicity?.error).toBeGreaterThan(2e-3);
    expect(analysis.outputs.ef_frequency?.error).toBeLessThan(1e-4);
  });

  test('refuses a sweep with the line at its edge or outside', async () => {
    const { anharmonicity } = createSimulator({ seed: 'ef' }).truth('chip', '0', at);
    const upTo = (distance: number) => ({ distance_range: [distance - 0.1, distance, 0.001] });
    const atEdge = await sweep('ef', '0', { run: upTo(anharmonicity + 0.0012) });
    expect(analyse(atEdge).refused).toMatch(/is at the edge of the sweep, .*; shift distance_range/);
    const outside = await sweep('ef', '0', { run: upTo(anharmonicity - 0.03) });
    expect(gate(outside.task, analyse(outside))).not.toBeNull();
  });

  test('names both lines if another one is equally strong', async () => {
    const measured = await sweep('ef');
    for (const name of ['iq_re', 'iq_im'] as const) {
      const values = (measured.dataset.variables[name]?.values ?? []).map(Number);
      const usual = [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
      const moved = values.map(
        (value, index) => value + (values.at((index + 60) % values.length) ?? 0) - usual,
      );
      measured.dataset.variables[name]?.values.splice(0, values.length, ...moved);
    }
    const analysis = analyse(measured);
    const said = [analysis.refused, ...(analysis.notes ?? [])].join(' ');
    expect(said).toMatch(/lines at [\d.]+ GHz and [\d.]+ GHz are comparable/);
    expect(gate(measured.task, analysis)).not.toBeNull();
  });

  test('refuses noise, a frozen instrument, a qubit that was not excited and invalid data', async () => {
    const faults = { rules: [{ match: {}, behaviour: 'noise' as const }] };
    for (let index = 0; index < 5; index++) {
      const seed = `noise-${index}`;
      const measured = await measure(TASK, seed, { inputs: perfectInputs(seed), faults });
      expect(gate(measured.task, analyse(measured))).not.toBeNull();
    }
    const frozen = await sweep('ef');
    for (const name of ['iq_re', 'iq_im'] as const) {
      const values = frozen.dataset.variables[name]?.values ?? [];
      values.fill(values[100] ?? 0, 100);
    }
    expect(analyse(frozen).refused).toMatch(/repeats the same signal/);
    const away = await sweep('ef', '0', { inputs: { drag_hpi_amplitude: 1e-4 } });
    expect(gate(away.task, analyse(away))).not.toBeNull();
    const few = await sweep('ef', '0', { run: { distance_range: [-0.4, -0.38, 0.001] } });
    expect(analyse(few).refused).toMatch(/frequencies are too few; it takes 40/);
    const empty = { dims: {}, coordinates: {}, variables: {} };
    expect(analyse({ ...frozen, dataset: empty }).refused).toMatch(/frequency/);
    expect(analyse({ ...few, dataset: away.dataset, inputs: {} }).refused).toMatch(/is unknown$/);
  });
});

describe('CheckEFSpectroscopy with a known anharmonicity', () => {
  test('refuses a line that contradicts the known anharmonicity, as with points in the wrong order', async () => {
    const { anharmonicity: known } = createSimulator({ seed: 'ef' }).truth('chip', '0', at);
    const measured = await sweepKnowing(1.005 * known);
    expect(gate(measured.task, analyse(measured))).toBeNull();
    for (const name of ['iq_re', 'iq_im'] as const) {
      const values = measured.dataset.variables[name]?.values ?? [];
      values.unshift(...values.splice(-40));
    }
    expect(analyse(measured).refused).toMatch(
      /an anharmonicity of .* GHz, but .* GHz is known: it may be another line/,
    );
  });

  test('measures with another middle if a reversed sweep would also agree with the known value', async () => {
    const { anharmonicity: known } = createSimulator({ seed: 'ef' }).truth('chip', '0', at);
    // The line is 2 MHz from the middle of the sweep.
    const run = { distance_range: [known - 0.1, known + 0.104, 0.001] };
    const value = { value: 1.003 * known, unit: 'GHz', value_type: 'float', error: 1e-3 };
    for (const isReversed of [false, true]) {
      const order = ({ dataset }: Awaited<ReturnType<typeof sweep>>) => {
        if (isReversed) reverseSweep(dataset);
      };
      const first = await sweep('ef', '0', { run });
      order(first);
      const doubtful = analyse({ ...first, inputs: { ...first.inputs, anharmonicity: value } });
      expect(doubtful.outputs).toEqual({});
      expect(doubtful.refused).toMatch(/also if the points were stored backwards/);
      const { distance_range: asked } = doubtful.again?.run ?? {};
      const again = await sweep('ef', '0', { run: { distance_range: asked?.value } });
      order(again);
      const certain = analyse({ ...again, inputs: { ...again.inputs, anharmonicity: value } });
      expect(certain.again).toBeUndefined();
      if (isReversed) expect(certain.refused).toMatch(/not in the order of the sweep/);
      else expect(gate(again.task, certain)).toBeNull();
    }
  });

  test('corrects an anharmonicity that a user estimated', async () => {
    const measured = await sweepKnowing(-0.25, null);
    expect(gate(measured.task, analyse(measured))).toBeNull();
  });

  test('corrects an anharmonicity from a two-photon line that was taken for f12', async () => {
    const { anharmonicity } = createSimulator({ seed: 'ef' }).truth('chip', '0', at);
    for (const factor of [0.5, 2]) {
      const measured = await sweepKnowing(factor * anharmonicity);
      expect(gate(measured.task, analyse(measured))).toBeNull();
    }
  });
});
