import { describe, expect, test } from 'vitest';
import { kinds } from '../../../scripts/bench/honesty/kinds.ts';
import { judge } from '../../../scripts/bench/honesty/measuring.ts';
import type { Kind } from '../../../scripts/bench/honesty/model.ts';
import { repetitions } from '../../support/repetitions.ts';

const SEEDS = repetitions({ quick: 2, soak: 20 });

/** Verdicts of the kinds whose name matches. */
function campaign(matches: (kind: Kind) => boolean) {
  const chosen = kinds.filter(matches);
  expect(chosen.length).toBeGreaterThan(0);
  return chosen.flatMap((kind) => Array.from({ length: SEEDS }, (_, index) => judge(kind, `test-${index}`)));
}

describe('the campaign that tells how honest the analysis is', () => {
  test('finds healthy measurements accepted and right', () => {
    const verdicts = campaign(
      ({ group, task }) => group === 'healthy' && /T1|T2|Ramsey|Rabi|Pulse$|Delay|Shift/.test(task),
    );
    expect(verdicts.filter(({ outcome }) => outcome !== 'accepted')).toEqual([]);
  });

  test('finds no value of a stuck, jumping or drifting instrument accepted though it is false', () => {
    const verdicts = campaign(({ group, task }) => group === 'spoilt' && /T1|Ramsey|Rabi/.test(task));
    expect(verdicts.filter(({ outcome }) => outcome === 'false')).toEqual([]);
  });

  test('finds single wild points harmless', () => {
    const verdicts = campaign(({ name }) => name.endsWith('one wild point'));
    expect(verdicts.filter(({ outcome }) => outcome !== 'accepted')).toEqual([]);
  });

  test('finds relaxation of 1 us to 1 ms, and a drive beside the qubit by more than the sweep can follow', () => {
    const verdicts = campaign(({ name }) => /^T1 of 1 us|^Ramsey with a drive off|^Rabi driven/.test(name));
    expect(verdicts.filter(({ outcome }) => outcome !== 'accepted')).toEqual([]);
  });

  test('finds a Rabi oscillation far beside the qubit refused', () => {
    const verdicts = campaign(({ name }) => name.startsWith('Rabi detuned'));
    expect(verdicts.map(({ message }) => message)).toEqual(
      verdicts.map(() => expect.stringMatching(/the drive lies [\d.]+ ± [\d.]+ MHz (above|below) the qubit/)),
    );
  });
});
