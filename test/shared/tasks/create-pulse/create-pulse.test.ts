import { expect, test } from 'vitest';
import { type Truth, testHonestErrors } from '../honest-errors.ts';
import { describeMeasurement, failureWith } from '../measured-task.ts';

describeMeasurement('CreateHPIPulse', { figures: 1, title: /hpi amplitude [\d.]+ ± [\d.]+ a\.u\.$/ });
describeMeasurement('CreatePIPulse', { figures: 1, title: /pi amplitude [\d.]+ ± [\d.]+ a\.u\.$/ });

/** Of a 32 ns pulse with 12 ns of ramps. */
const pulseAmplitude =
  (turns: number): Truth =>
  (qubit) =>
    turns / (qubit.maximumRabiFrequency * 20);

testHonestErrors('CreateHPIPulse', { truths: { hpi_amplitude: pulseAmplitude(0.25) } });
testHonestErrors('CreatePIPulse', { truths: { pi_amplitude: pulseAmplitude(0.5) } });

test('a control amplitude that is wrong by a factor of two is refused', async () => {
  for (const factor of [0.5, 2]) {
    const message = await failureWith('CreateHPIPulse', ({ control_amplitude = 0 }) => ({
      control_amplitude: Math.min(1, factor * control_amplitude),
    }));
    expect(message).toMatch(/was refused/);
  }
});
