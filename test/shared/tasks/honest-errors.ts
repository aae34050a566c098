import { expect, test } from 'vitest';
import { createSimulator } from '../../../activities/backends/simulator/simulator.ts';
import type { TrueQubit } from '../../../shared/science/device/device.ts';
import { bestReadoutOffset } from '../../../shared/science/device/readout.ts';
import { analyse } from '../../../shared/tasks/analyses.ts';
import { gate } from '../../../shared/tasks/gates.ts';
import { coverageSeeds, expectHonestErrors } from '../../support/coverage-rules.ts';
import { at, type Measured, measure, measureInPasses } from '../../support/measured.ts';

/** The noise-free value of an output. */
export type Truth = (qubit: TrueQubit, measured: Measured) => number;
/** Inputs other than the start values of a seed; `index` numbers the seeds. */
export type Offset = (start: Record<string, { value: number }>, index: number) => Record<string, number>;

export const trueFrequency: Truth = (qubit) => qubit.f01;
export const trueReadoutFrequency: Truth = (qubit) => qubit.readoutFrequency - bestReadoutOffset(qubit);
export const trueControlAmplitude: Truth = (qubit) => 0.0125 / qubit.maximumRabiFrequency;

/** Between −3 and 3, different for neighbouring seeds. */
export function spread(index: number): number {
  return (index % 7) - 3;
}

/** A readout frequency on either side of the best one. */
export const besideReadout: Offset = (start, index) => ({
  readout_frequency: (start.readout_frequency?.value ?? 0) + 0.7e-3 * spread(index),
});

interface HonestErrors {
  truths: Record<string, Truth>;
  seeds?: number;
  inputs?: Offset;
  /** Whether the task may request further passes, as in the service. */
  again?: boolean;
}

/**
 * Tests that the outputs of a task deviate from the truth as their standard errors state, over fixed seeds at default
 * noise.
 */
export function testHonestErrors(
  task: string,
  { truths, seeds = 100, inputs, again = false }: HonestErrors,
): void {
  test(`the standard errors of all outputs of ${task} are honest over fixed seeds at default noise`, async () => {
    const deviations = Object.fromEntries(Object.keys(truths).map((name): [string, number[]] => [name, []]));
    for (let index = 0; index < coverageSeeds(seeds); index++) {
      const [seed, qid] = [`coarse-${index}`, String(index % 16)];
      const simulator = createSimulator({ seed, now: () => at });
      const given = inputs?.(simulator.startValues('chip', qid, at), index);
      const measured = await (again ? measureInPasses : measure)(task, seed, { qid, inputs: given });
      const analysis = analyse(measured);
      expect(gate(measured.task, analysis)).toBeNull();
      const qubit = simulator.truthOf(measured.request, qid, at);
      for (const [name, truth] of Object.entries(truths)) {
        const { value, error } = analysis.outputs[name] ?? expect.fail(`no ${name}`);
        deviations[name]?.push((value - truth(qubit, measured)) / error);
      }
    }
    for (const values of Object.values(deviations)) expectHonestErrors(values);
  });
}
