import { describe, expect, test } from 'vitest';
import { judgeJumps, jumpKinds } from '../../../../scripts/bench/honesty/jumps.ts';
import { repetitions } from '../../../support/repetitions.ts';

const TRIALS = repetitions({ quick: 4, soak: 40 });
/** Two passes of a value that are further apart, in errors of both, do not confirm each other. */
const FAR = 60;

describe('two passes of a value that jumped', () => {
  const tasks = ['CheckReflectionCoefficient', 'CheckQubitFrequency', 'CheckRabi', 'CheckT1', 'CheckRamsey'];
  const trials = jumpKinds
    .filter(({ name }) => tasks.includes(name))
    .flatMap((kind) =>
      Array.from({ length: TRIALS }, (_, trial) => judgeJumps(kind, `jumps-${trial}`)).flat(),
    );

  test('do not confirm each other where both are wrong and many errors apart', () => {
    const wrong = trials.filter((trial) => trial.case === 'wrong' && trial.apart > FAR);
    expect(wrong.length).toBeGreaterThan(TRIALS);
    expect(wrong.filter(({ confirmed }) => confirmed)).toEqual([]);
  });

  test('confirm each other where the device moved', () => {
    const moved = trials.filter((trial) => trial.case === 'moved');
    const refused = moved.filter(({ confirmed }) => !confirmed);
    expect(refused.length).toBeLessThanOrEqual(Math.floor(moved.length / 20));
  });
});
