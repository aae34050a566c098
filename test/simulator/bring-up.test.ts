import { describe, expect, it } from 'vitest';
import { trueQubit } from '../../activities/backends/simulator/device.ts';
import { analyse } from '../../shared/analysis/analyse.ts';
import { gate } from '../../shared/analysis/gates.ts';
import { findTask } from '../../shared/tasks/catalog.ts';
import { at, measure } from '../analysis/measured.ts';

const tasks = [
  'CheckResonatorSpectroscopy',
  'CheckQubitSpectroscopy',
  'CheckControlAmplitude',
  'CheckChevron',
  'CheckRabi',
  'CheckRabi',
];

describe('the bring-up of a blank chip', () => {
  it('hands each task what it needs, and ends where the truth is', async () => {
    let passed = 0;
    const qids = Array.from({ length: 16 }, (_, index) => String(index));
    for (const qid of qids) {
      const values: Record<string, number> = {};
      let failure: string | undefined;
      for (const name of tasks) {
        const needed = Object.keys(findTask(name)?.inputs ?? {});
        const inputs = Object.fromEntries(Object.entries(values).filter(([input]) => needed.includes(input)));
        const measured = await measure(name, 'bring-up', { qid, inputs });
        const analysis = analyse(measured);
        failure = gate(measured.task, analysis)?.message;
        if (failure !== undefined) break;
        for (const [output, { value }] of Object.entries(analysis.outputs)) values[output] = value;
      }
      if (failure !== undefined) continue;
      passed += 1;
      const truth = trueQubit('bring-up', qid, at);
      expect(values.readout_frequency).toBeCloseTo(truth.resonatorGround, 3);
      expect(Math.abs((values.qubit_frequency ?? 0) - truth.f01)).toBeLessThan(1e-3);
      const rabi = (values.control_amplitude ?? 0) * truth.maximumRabiFrequency;
      expect(Math.abs(rabi / 0.0125 - 1)).toBeLessThan(0.02);
    }
    expect(passed).toBeGreaterThanOrEqual(15);
  }, 60_000);
});
