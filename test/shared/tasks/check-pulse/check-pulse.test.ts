import { expect, test } from 'vitest';
import { describeMeasurement, failureWith } from '../measured-task.ts';

describeMeasurement('CheckHPIPulse', { figures: 1, title: /rotation error -?[\d.]+ ± [\d.]+ %$/ });
describeMeasurement('CheckPIPulse', {
  figures: 1,
  title: /rotation error (below )?[\d.]+( ± [\d.]+)? %( in size)?$/,
});

test('a pulse that rotates by 5 % too much, or by twice the angle, is refused', async () => {
  for (const factor of [1.05, 0.95, 2]) {
    for (const pulse of ['hpi', 'pi']) {
      const amplitude = `${pulse}_amplitude`;
      const message = await failureWith(`Check${pulse.toUpperCase()}Pulse`, (inputs) => ({
        [amplitude]: factor * (inputs[amplitude] ?? 0),
      }));
      expect(message).toMatch(/is not good enough: r2|was refused/);
    }
  }
});
