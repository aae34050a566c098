import { describe, expect, test } from 'vitest';
import { kinds } from '../../../../scripts/bench/honesty/kinds.ts';
import { judge } from '../../../../scripts/bench/honesty/measuring.ts';

const MEASUREMENTS = 20;

describe('points that retain a tenth of the previous one', () => {
  test.each(kinds.filter(({ name }) => name.endsWith('each point keeps a tenth of the one before')))(
    'give the value with an honest error ($task)',
    (kind) => {
      const verdicts = Array.from({ length: MEASUREMENTS }, (_, index) => judge(kind, `keeping-${index}`));
      expect(verdicts.filter(({ outcome }) => outcome === 'false')).toEqual([]);
      const accepted = verdicts.filter(({ outcome }) => outcome === 'accepted');
      expect(accepted.length).toBeGreaterThanOrEqual(MEASUREMENTS - 1);
      for (const name of Object.keys(accepted[0]?.pulls ?? {})) {
        const pulls = accepted.map((verdict) => verdict.pulls[name] ?? Number.NaN);
        const meanOf = (of: (pull: number) => number) =>
          pulls.reduce((sum, pull) => sum + of(pull), 0) / pulls.length;
        expect(Math.abs(meanOf((pull) => pull))).toBeLessThan(1.1);
        expect(Math.sqrt(meanOf((pull) => pull ** 2))).toBeLessThan(1.6);
      }
    },
  );
});
