import { describe, expect, test } from 'vitest';
import { createSimulator } from '../../../activities/backends/simulator/simulator.ts';
import { analyse } from '../../../shared/tasks/analyses.ts';
import { numberOf } from '../../../shared/tasks/common/parameters.ts';
import { gate } from '../../../shared/tasks/gates.ts';
import { at, measure } from '../../support/measured.ts';
import { coverageSeeds, expectHonestErrors } from './coverage-rules.ts';

/** Deviations from the truth that each measurement followed, in standard errors, over fixed seeds. */
async function deviations(
  name: string,
  output: string,
  truthOf: (measured: Awaited<ReturnType<typeof measure>>, seed: string) => number,
  { seeds = coverageSeeds(200), weighted = true } = {},
): Promise<number[]> {
  const found: number[] = [];
  for (let index = 0; index < seeds; index++) {
    const seed = `coverage-${index}`;
    const measured = await measure(name, seed, { qid: String(index % 16) });
    // Without the number of shots the analysis cannot tell the points apart.
    const analysis = analyse(weighted ? measured : { ...measured, runParameters: {} });
    expect(gate(measured.task, analysis)).toBeNull();
    const estimate = analysis.outputs[output] ?? expect.fail(`no ${output}`);
    found.push((estimate.value - truthOf(measured, seed)) / estimate.error);
  }
  return found;
}

function rootMeanSquare(values: readonly number[]): number {
  return Math.sqrt(values.reduce((sum, value) => sum + value ** 2, 0) / values.length);
}

/** Rabi frequency √(Ω² + Δ²) in MHz with the drive that the task believed right. */
function followedRabiFrequency({ request, qid, inputs }: Awaited<ReturnType<typeof measure>>, seed: string) {
  const qubit = createSimulator({ seed }).truthOf(request, qid, at);
  const amplitude = numberOf(inputs.control_amplitude) ?? Number.NaN;
  const detuning = (numberOf(inputs.qubit_frequency) ?? Number.NaN) - qubit.f01;
  return { frequency: 1000 * Math.hypot(qubit.maximumRabiFrequency * amplitude, detuning), amplitude };
}

describe('the standard errors over fixed seeds at default noise', () => {
  test('are honest for the Rabi frequency', async () => {
    expectHonestErrors(
      await deviations(
        'CheckRabi',
        'rabi_frequency',
        (measured, seed) => followedRabiFrequency(measured, seed).frequency,
      ),
    );
  });

  test('are honest for the maximum Rabi frequency', async () => {
    expectHonestErrors(
      await deviations('CheckRabi', 'maximum_rabi_frequency', (measured, seed) => {
        const { frequency, amplitude } = followedRabiFrequency(measured, seed);
        return frequency / amplitude;
      }),
    );
  });

  test('are honest for the noise of the Rabi points', async () => {
    expectHonestErrors(
      await deviations('CheckRabi', 'rabi_noise', ({ request, qid }, seed) => {
        const qubit = createSimulator({ seed }).truthOf(request, qid, at);
        return qubit.noise / Math.sqrt(2048);
      }),
    );
  });

  test('are honest for T1, of which each measurement follows its own', async () => {
    expectHonestErrors(
      await deviations(
        'CheckT1',
        't1',
        ({ request, qid }, seed) => createSimulator({ seed }).truthOf(request, qid, at).t1,
      ),
    );
  });

  test('would claim too little for T1 if all points were weighted alike', async () => {
    const truthOf = ({ request, qid }: Awaited<ReturnType<typeof measure>>, seed: string) =>
      createSimulator({ seed }).truthOf(request, qid, at).t1;
    const weighted = await deviations('CheckT1', 't1', truthOf, { seeds: 200 });
    const alike = await deviations('CheckT1', 't1', truthOf, { seeds: 200, weighted: false });
    expect(rootMeanSquare(weighted)).toBeGreaterThan(0.85);
    expect(rootMeanSquare(weighted)).toBeLessThan(1.1);
    expect(rootMeanSquare(alike)).toBeGreaterThan(rootMeanSquare(weighted) + 0.05);
  });
});
