import { describe, expect, test } from 'vitest';
import { createSimulator } from '../../../../activities/backends/simulator/simulator.ts';
import { figure } from '../../../../shared/science/figures/model.ts';
import { analyse } from '../../../../shared/tasks/analyses.ts';
import { gate } from '../../../../shared/tasks/gates.ts';
import { coverageSeeds, expectHonestErrors } from '../../../support/coverage-rules.ts';
import { perfectInputs } from '../../../support/drag-inputs.ts';
import { at, measure } from '../../../support/measured.ts';
import { spread } from '../honest-errors.ts';

const TASK = 'CheckFineFrequency';

/** A measurement with a stored frequency above the true one by the given amount (GHz). */
function fringes(seed: string, qid: string, above = 0) {
  const perfect = perfectInputs(seed, qid);
  return measure(TASK, seed, {
    qid,
    inputs: { ...perfect, qubit_frequency: perfect.qubit_frequency + above },
  });
}

describe(TASK, () => {
  test('finds the frequency from either side with honest errors below a kilohertz', async () => {
    const deviations: [number[], number[]] = [[], []];
    for (let index = 0; index < coverageSeeds(60); index++) {
      const [seed, qid] = [`fine-frequency-${index}`, String(index % 16)];
      const measured = await fringes(seed, qid, 5e-5 * spread(index));
      const { outputs, refused } = analyse(measured);
      expect(refused).toBeUndefined();
      const { f01 } = createSimulator({ seed, now: () => at }).truthOf(measured.request, qid, at);
      const truths = {
        qubit_frequency: f01,
        frequency_correction: 1000 * (f01 - Number(measured.inputs.qubit_frequency?.value)),
      };
      for (const [place, [name, truth]] of Object.entries(truths).entries()) {
        const { value, error } = outputs[name] ?? expect.fail(`no ${name}`);
        deviations[place]?.push((value - truth) / error);
      }
      expect(outputs.qubit_frequency?.error).toBeLessThan(1e-6);
    }
    for (const found of deviations) expectHonestErrors(found);
  });

  test('draws both fringes over the logarithm of time, with the correction', async () => {
    const measured = await fringes('fine', '2', -2e-4);
    const analysis = analyse(measured);
    expect(gate(measured.task, analysis)).toBeNull();
    expect(Object.keys(analysis.outputs).sort()).toEqual(Object.keys(measured.task.outputs).sort());
    expect(analysis.figures).toHaveLength(2);
    for (const drawn of analysis.figures) expect(figure.parse(drawn)).toEqual(drawn);
    const [along] = analysis.figures;
    expect(along?.layout.title.text).toMatch(
      /^CheckFineFrequency X · qubit 2 · corrected by 0\.\d+ ± 0\.\d+ MHz$/,
    );
    expect(along?.layout.xaxis.type).toBe('log');
  });

  test('refuses noise, a frozen instrument, a qubit that dephases immediately and invalid data', async () => {
    const inputs = perfectInputs('refused', '1');
    const given = { qid: '1', inputs };
    const noise = { rules: [{ match: {}, behaviour: 'noise' as const }] };
    for (let index = 0; index < 3; index++) {
      const measured = await measure(TASK, `noise-${index}`, { ...given, faults: noise });
      expect(gate(measured.task, analyse(measured))).not.toBeNull();
    }
    const stuck = { rules: [], phenomena: [{ phenomenon: 'stuck_digitiser' as const, size: 1 }] };
    const frozen = await measure(TASK, 'refused', { ...given, faults: stuck });
    expect(analyse(frozen).refused).toMatch(/repeats the same signal/);
    const late = await measure(TASK, 'refused', { ...given, run: { time_range: [6, 7, 41] } });
    expect(analyse(late).refused).toBeDefined();
    const empty = { dims: {}, coordinates: {}, variables: {} };
    expect(analyse({ ...frozen, dataset: empty }).refused).toMatch(/time/);
  });
});
