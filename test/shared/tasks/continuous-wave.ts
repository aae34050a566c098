import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type TrueQubit, trueQubit } from '../../../shared/science/device/device.ts';
import { analyse } from '../../../shared/tasks/analyses.ts';
import { gate } from '../../../shared/tasks/gates.ts';
import { coverageSeeds, expectHonestErrors } from '../../support/coverage-rules.ts';
import { at, measure, taskOf } from '../../support/measured.ts';
import { repetitions } from '../../support/repetitions.ts';

const SEEDS = coverageSeeds(80);
const NOISY_SEEDS = repetitions({ quick: 8, soak: 20 });
const noise = { rules: [{ match: {}, behaviour: 'noise' as const }] };

/**
 * Tests that hold for any sweep with continuous tones: honest errors, refusal of noise, and valid results for any
 * numbers.
 */
export function describeContinuousWave(
  name: string,
  {
    inputs,
    truths,
  }: {
    inputs?: (qubit: TrueQubit) => Record<string, number>;
    truths: Record<string, (qubit: TrueQubit, seed: string, qid: string) => number>;
  },
): void {
  describe(`the analysis of ${name}`, () => {
    test('finds the truth with honest errors', async () => {
      const found = new Map<string, number[]>();
      let failed = 0;
      for (let index = 0; index < SEEDS; index++) {
        const [seed, qid] = [`cw-${index}`, String(index % 16)];
        const qubit = trueQubit(seed, qid, at);
        const analysis = analyse(await measure(name, seed, { qid, inputs: inputs?.(qubit) }));
        if (gate(taskOf(name), analysis) !== null) {
          failed += 1;
          continue;
        }
        for (const [output, truth] of Object.entries(truths)) {
          const { value, error } = analysis.outputs[output] ?? expect.fail(`no ${output}`);
          found.set(output, [...(found.get(output) ?? []), (value - truth(qubit, seed, qid)) / error]);
        }
      }
      expect(failed).toBeLessThanOrEqual(Math.max(1, 0.03 * SEEDS));
      for (const values of found.values()) expectHonestErrors(values);
    });

    test('refuses noise with a message, and keeps a figure', async () => {
      for (let index = 0; index < NOISY_SEEDS; index++) {
        const [seed, qid] = [`noise-${index}`, '1'];
        const measured = await measure(name, seed, {
          qid,
          inputs: inputs?.(trueQubit(seed, qid, at)),
          faults: noise,
        });
        const analysis = analyse(measured);
        expect(gate(measured.task, analysis)?.message ?? '').toMatch(/\d.*\.$|not converge\.$/);
        expect(analysis.figures.length).toBeGreaterThan(0);
      }
    });

    test('returns finite values or a refusal for any numbers', () => {
      const axis = Object.keys(taskOf(name).runParameters).includes('amplitude_range')
        ? 'amplitude'
        : 'frequency';
      const numbers = fc.array(
        fc.option(fc.double({ noNaN: true, noDefaultInfinity: true }), { nil: null }),
        {
          minLength: 48,
          maxLength: 48,
        },
      );
      fc.assert(
        fc.property(numbers, numbers, numbers, (x, re, im) => {
          const variable = { dims: [axis], unit: '', long_name: '' };
          const analysis = analyse({
            task: taskOf(name),
            qid: '0',
            dataset: {
              dims: { [axis]: 48 },
              coordinates: { [axis]: { ...variable, values: x } },
              variables: {
                iq_re: { ...variable, values: re },
                iq_im: { ...variable, values: im },
                noise: { ...variable, values: re },
              },
            },
            inputs: { coarse_control_amplitude: { value: 0.1, value_type: 'float', unit: 'a.u.' } },
            runParameters: {},
          });
          const values = Object.values(analysis.outputs).flatMap(({ value, error }) => [value, error]);
          expect(values.every(Number.isFinite)).toBe(true);
          expect(values.length > 0 || analysis.refused !== undefined).toBe(true);
        }),
        { seed: 11, numRuns: 60 },
      );
    });
  });
}
