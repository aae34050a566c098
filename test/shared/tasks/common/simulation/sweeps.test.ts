import { expect, test } from 'vitest';
import { measure } from '../../../../support/measured.ts';

test.each([
  ['CheckReflectionCoefficient', { frequency_step: 0.000_123_4 }],
  ['CheckPunchOut', {}],
  ['CheckResonatorFrequencies', { frequency_range: [9.75, 10.75, 0.001_234_567] }],
])('the sweep of %s states its frequencies to the hertz', async (task, run) => {
  const { dataset, inputs } = await measure(task, 'axes', { run });
  const frequencies = (dataset.coordinates.frequency?.values ?? []).map(Number);
  const steps = frequencies.slice(1).map((value, index) => value - (frequencies[index] ?? 0));
  expect(frequencies.length).toBeGreaterThan(40);
  for (const step of steps) expect(Math.abs(step - (steps[0] ?? 0))).toBeLessThan(2e-9);
  const centre = inputs.readout_frequency?.value;
  if (task === 'CheckReflectionCoefficient') {
    const middle = frequencies[(frequencies.length - 1) / 2] ?? Number.NaN;
    expect(Math.abs(middle - Number(centre))).toBeLessThan(1e-9);
  }
});
