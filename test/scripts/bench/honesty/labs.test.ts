import { describe, expect, test } from 'vitest';
import { kinds } from '../../../../scripts/bench/honesty/kinds.ts';
import { judgeSent } from '../../../../scripts/bench/honesty/measuring.ts';
import { repetitions } from '../../../support/repetitions.ts';

const TRIALS = repetitions({ quick: 1, soak: 20 });
const labs = kinds.filter(({ group }) => group === 'labs');
const families = [...new Set(labs.flatMap(({ family }) => family ?? []))];

async function outcomesOf(matches: (kind: (typeof kinds)[number]) => boolean, trials = TRIALS) {
  const seeds = Array.from({ length: trials }, (_, trial) => `labs-${trial}`);
  return Promise.all(labs.filter(matches).flatMap((kind) => seeds.map((seed) => judgeSent(kind, seed))));
}

describe('data in the forms that labs send', () => {
  test.each(families)('are accepted and correct: %s', async (name) => {
    const verdicts = await outcomesOf(({ family }) => family === name);
    expect(verdicts.length).toBeGreaterThan(0);
    expect(verdicts.filter(({ outcome }) => outcome === 'false')).toEqual([]);
    const refused = verdicts.filter(({ outcome }) => outcome === 'refused');
    expect(refused.length, refused[0]?.message ?? '').toBeLessThanOrEqual(Math.floor(verdicts.length / 20));
  });

  test('name both of two lines if either may be the qubit’s', async () => {
    const verdicts = await outcomesOf(
      ({ name }) => /^CheckQubitFrequencies, an equal foreign line$/.test(name),
      4,
    );
    for (const { outcome, message } of verdicts) {
      expect(outcome).toBe('refused');
      expect(message).toMatch(/ lines at [\d.]+ GHz(, [\d.]+ GHz)* and [\d.]+ GHz /);
    }
  });
});
