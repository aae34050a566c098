import type { CheckForm } from '../check-model.ts';
import { decayCandidates, storedValue } from '../common/definition/decay-check.ts';
import { pointsOf } from '../common/parameters.ts';

/** Populations of the prepared states. */
const PREPARED = [0, 1] as const;

/** Measures the decay from the excited state at times around T1. */
export const t1Check: CheckForm = {
  tests: { t1: { tolerance: 0.3, of: 'value' } },
  pointsOfAll: (run) => pointsOf(run.time_range) + PREPARED.length,
  candidates(subject) {
    const t1 = storedValue(subject, 't1');
    if (t1 === undefined) return 'The stored T1 is not positive.';
    // A few points do not resolve two rates, and a fit with one rate would be wrong.
    if (storedValue(subject, 't1_quasiparticles') !== undefined) return 'Its decay has two rates.';
    return decayCandidates({
      decayNs: 1000 * t1,
      prepared: PREPARED,
      values: [t1],
      curves: (time, [tried = t1]) => [Math.exp(-time / 1000 / tried)],
    });
  },
};

/** Measures all repetitions with fewer shots. */
export const t1AverageCheck: CheckForm = { tests: { t1_average: { tolerance: 0.3, of: 'value' } } };
