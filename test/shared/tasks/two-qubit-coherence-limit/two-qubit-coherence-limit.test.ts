import { describe, expect, test } from 'vitest';
import { pairCoherenceInfidelity } from '../../../../shared/science/quantum/gate-coherence.ts';
import { analyse } from '../../../../shared/tasks/analyses.ts';
import { measurePair } from '../../../support/pairs.ts';
import { PAIR_SEED, pairWithGate } from '../pair-failures.ts';

describe('the coherence limit of a pair', () => {
  test.each([
    [200, 0.0053],
    [300, 0.008],
    [464, 0.012],
  ])('has the published error after %d ns at T1 = 60 us and T2 = 40 us', (time, error) => {
    const times = { t1: 60_000, t2: 40_000 };
    expect(Math.abs(pairCoherenceInfidelity(time, times, times) / error - 1)).toBeLessThan(0.025);
  });

  test('has an error that grows from zero to that of a mixed state', () => {
    const times = { t1: 60, t2: 40 };
    expect(pairCoherenceInfidelity(0, times, times)).toBe(0);
    expect(pairCoherenceInfidelity(1e9, times, times)).toBeCloseTo(3 / 4, 12);
  });

  test('includes the errors of the times in that of the fidelity', async () => {
    const known = await pairWithGate();
    const limitWith = async (error: number) => {
      const { value = 0 } = known.control.t1_average ?? {};
      const pair = { ...known, control: { ...known.control, t1_average: { value, error } } };
      const { outputs } = analyse(
        await measurePair('Check2QGateCoherenceLimit', { seed: PAIR_SEED, qid: '0-2' }, pair),
      );
      return outputs.two_qubit_gate_coherence_limit ?? expect.fail('no limit');
    };
    expect((await limitWith(0)).error).toBe(0);
    const [one, two] = [await limitWith(1), await limitWith(2)];
    expect(one.error).toBeGreaterThan(0);
    expect(two.error / one.error).toBeCloseTo(2, 6);
  });
});
