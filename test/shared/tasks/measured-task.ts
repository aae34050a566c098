import { describe, expect, test } from 'vitest';
import { createSimulator } from '../../../activities/backends/simulator/simulator.ts';
import { figure } from '../../../shared/science/figures/model.ts';
import { analyse } from '../../../shared/tasks/analyses.ts';
import { gate } from '../../../shared/tasks/gates.ts';
import { at, measure, measureInPasses, taskOf } from '../../support/measured.ts';
import { repetitions } from '../../support/repetitions.ts';

const noise = { rules: [{ match: {}, behaviour: 'noise' as const }] };
const NOISY_SEEDS = repetitions({ quick: 4, soak: 8 });

/** Start values, and values that otherwise come from a bring-up or an earlier task. */
export function inputsOf(seed: string, qid: string): Record<string, number> {
  const start = createSimulator({ seed, now: () => at }).startValues('chip', qid, at);
  const known = Object.fromEntries(Object.entries(start).map(([name, { value }]) => [name, value]));
  return {
    ...known,
    coarse_qubit_frequency: (known.qubit_frequency ?? 0) + 1e-3,
    coarse_control_amplitude: 0.8 * (known.control_amplitude ?? 0),
    pi_amplitude: 2 * (known.hpi_amplitude ?? 0),
    pi_length: known.hpi_length ?? 0,
  };
}

/** Tests that hold for any task that measures a qubit: outputs and figures of a good qubit, refusal of bad data. */
export function describeMeasurement(
  name: string,
  { figures, title }: { figures: number; title: RegExp },
): void {
  describe(name, () => {
    test('finds the outputs of the catalog and draws figures with task, qubit, value and units', async () => {
      const measured = await measureInPasses(name, 'found', { qid: '5', inputs: inputsOf('found', '5') });
      const analysis = analyse(measured);
      expect(analysis.refused).toBeUndefined();
      expect(gate(measured.task, analysis)).toBeNull();
      const promised = Object.entries(measured.task.outputs).filter(([, { optional }]) => !optional);
      expect(Object.keys(analysis.outputs).sort()).toEqual(promised.map(([output]) => output).sort());
      expect(analysis.figures).toHaveLength(figures);
      for (const drawn of analysis.figures) {
        expect(figure.parse(drawn)).toEqual(drawn);
        expect(drawn.layout.title.text).toMatch(new RegExp(`^${name}.* · qubit 5 · `));
      }
      expect(analysis.figures[0]?.layout.title.text).toMatch(title);
      const roles = analysis.figures.map(({ layout }) => layout.meta?.figure_role);
      const listed = measured.task.figures.map(({ role }) => role);
      if (listed.some((role) => role !== undefined)) expect(roles.slice(0, listed.length)).toEqual(listed);
    });

    test('fails on pure noise with a message', async () => {
      for (let index = 0; index < NOISY_SEEDS; index++) {
        const inputs = inputsOf(`noise-${index}`, '0');
        const measured = await measure(name, `noise-${index}`, { inputs, faults: noise });
        const failure = gate(measured.task, analyse(measured));
        expect(failure?.message).toMatch(/^The fit of \w+ (is not good enough: r2|was refused: ).*\.$/);
      }
    });

    test('refuses invalid data without throwing', () => {
      const task = taskOf(name);
      const empty = { dims: {}, coordinates: {}, variables: {} };
      const analysis = analyse({ task, qid: '0', dataset: empty, inputs: {}, runParameters: {} });
      expect(analysis).toMatchObject({ outputs: {}, refused: expect.stringMatching(/\w/) });
    });
  });
}

/** Measures with some changed inputs, which must fail. @returns the message of the failure */
export async function failureWith(
  name: string,
  changes: (inputs: Record<string, number>) => Record<string, number>,
): Promise<string> {
  const inputs = inputsOf('wrong', '2');
  const measured = await measure(name, 'wrong', { qid: '2', inputs: { ...inputs, ...changes(inputs) } });
  const failure = gate(measured.task, analyse(measured));
  expect(failure).not.toBeNull();
  return failure?.message ?? '';
}
