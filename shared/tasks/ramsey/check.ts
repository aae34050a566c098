import type { CheckForm } from '../check-model.ts';
import { decayCandidates, storedValue } from '../common/definition/decay-check.ts';
import { numberOf, pointsOf } from '../common/parameters.ts';

/** Populations of the prepared states. */
const PREPARED = [0, 1] as const;
/** Number of axes of the equator that are measured at each time. */
const AXES = 2;
/** Shortest free times, ns. They reveal a large shift of the frequency. */
const STARTS_NS = [40, 80] as const;
const COUNTS = [17, 21, 25] as const;

/** Measures fringes along both axes. Short times reveal large shifts of the frequency, long times small ones. */
export const ramseyCheck: CheckForm = {
  tests: {
    qubit_frequency: { tolerance: 1e-4, of: 'unit' },
    t2_star: { tolerance: 0.3, of: 'value' },
  },
  pointsOfAll: (run) => AXES * (pointsOf(run.time_range) + pointsOf(run.fine_time_range)) + PREPARED.length,
  candidates(subject) {
    const [t2, frequency] = [storedValue(subject, 't2_star'), storedValue(subject, 'qubit_frequency')];
    const detuning = numberOf(subject.run.detuning);
    if (t2 === undefined || frequency === undefined) return 'The stored values are not positive.';
    if (detuning === undefined) return 'The detuning is unknown.';
    return decayCandidates({
      decayNs: 1000 * t2,
      prepared: PREPARED,
      values: [frequency, t2],
      startsNs: STARTS_NS,
      counts: COUNTS,
      curves(time, [tried = frequency, decay = t2]) {
        const coherence = Math.exp(-time / 1000 / decay);
        const phase = 2 * Math.PI * (detuning + frequency - tried) * time;
        return [(1 - coherence * Math.cos(phase)) / 2, (1 - coherence * Math.sin(phase)) / 2];
      },
      // The sweep itself distinguishes fast oscillations, so no additional times are needed.
      further: [0],
      run: { fine_time_range: { value: [0, 1, 1], value_type: 'np.arange' } },
    });
  },
};

/** Measures the fringes of the whole task with fewer shots. */
export const fineFrequencyCheck: CheckForm = { tests: { qubit_frequency: { tolerance: 1e-4, of: 'unit' } } };
