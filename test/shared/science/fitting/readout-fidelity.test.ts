import { expect, test } from 'vitest';
import { normalCumulative } from '../../../../shared/science/device/normal-distribution.ts';
import { type Random, randomFrom } from '../../../../shared/science/device/random.ts';
import { fitFidelity } from '../../../../shared/science/fitting/readout-fidelity.ts';

const AMPLITUDES = Array.from({ length: 20 }, (_, index) => 0.02 * (index + 1));
const ERROR = 0.004;

/** Average fidelity of a readout that keeps a fraction of the contrast. */
const FRACTION = 0.99;

function fidelityOf(kept: number, amplitude: number): number {
  return 0.5 + (kept * (2 * normalCumulative(10 * amplitude) - 1)) / 2;
}

/** The fit of a readout that keeps a fraction of the contrast at each amplitude. */
function fitOf(random: Random, kept: (amplitude: number) => number) {
  return fitFidelity(
    AMPLITUDES.map((amplitude) => {
      const half = 10 * amplitude;
      const value = fidelityOf(kept(amplitude), amplitude) + ERROR * random.normal();
      return {
        amplitude,
        fidelity: { value, error: ERROR },
        apart: { value: half + 0.02 * random.normal(), error: 0.02 },
      };
    }),
    FRACTION,
  );
}

test('fidelities that fall slowly with the photons are described, and the resulting amplitude has an honest error', () => {
  const kept = (amplitude: number) => 0.95 - 0.5 * amplitude ** 2;
  const fine = Array.from({ length: 4000 }, (_, index) => (index + 1) / 10_000);
  const truth = fine.map((amplitude) => fidelityOf(kept(amplitude), amplitude));
  const reached = truth.findIndex((fidelity) => fidelity >= FRACTION * Math.max(...truth));
  const sought = fine[reached] ?? expect.fail('no amplitude is good enough');
  const pulls = Array.from({ length: 24 }, (_, trial) => {
    const curve = fitOf(randomFrom(`slow ${trial}`, 'fidelity'), kept);
    expect(curve?.misfit).toBeNull();
    const { value, error } = curve?.crossing ?? expect.fail('no amplitude');
    return (value - sought) / error;
  });
  // Of 24 honest pulls the RMS scatters by 0.14.
  const rms = Math.sqrt(pulls.reduce((sum, pull) => sum + pull ** 2, 0) / pulls.length);
  expect(rms).toBeGreaterThan(0.5);
  expect(rms).toBeLessThan(1.5);
});

test('fidelities that fall suddenly because the tone drives the qubit out of its states are not described', () => {
  for (let trial = 0; trial < 5; trial++) {
    const curve = fitOf(randomFrom(`sudden ${trial}`, 'fidelity'), (amplitude) =>
      amplitude > 0.25 ? 0.6 : 0.95,
    );
    expect(curve?.misfit).toMatch(/^the model does not describe the data: chi-square/);
  }
});
