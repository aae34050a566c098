import type { CheckForm } from '../check-model.ts';
import { decayCandidates, storedValue } from '../common/definition/decay-check.ts';
import { pointsOf } from '../common/parameters.ts';

/** Populations of the prepared states. */
const PREPARED = [0, 1] as const;

/** Measures the decay of the echo to the middle of both states, at times around T2. */
export const t2EchoCheck: CheckForm = {
  tests: { t2_echo: { tolerance: 0.3, of: 'value' } },
  pointsOfAll: (run) => pointsOf(run.time_range) + PREPARED.length,
  candidates(subject) {
    const t2 = storedValue(subject, 't2_echo');
    if (t2 === undefined) return 'The stored T2 is not positive.';
    return decayCandidates({
      decayNs: 1000 * t2,
      prepared: PREPARED,
      values: [t2],
      curves: (time, [tried = t2]) => [(1 + Math.exp(-time / 1000 / tried)) / 2],
    });
  },
};

/** Measures all repetitions with fewer shots. */
export const t2EchoAverageCheck: CheckForm = { tests: { t2_echo_average: { tolerance: 0.3, of: 'value' } } };
