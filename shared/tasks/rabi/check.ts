import { PULSE_RAMP_NS, TARGET_RABI_FREQUENCY_GHZ } from '../../science/conventions/pulse.ts';
import type { CheckCandidate, CheckForm, CheckSubject } from '../check-model.ts';
import { numberOf, pointsOf } from '../common/parameters.ts';
import { sweepPoints } from '../run-parameters.ts';

/**
 * Number of oscillations of the whole task: at the stored frequency and detuned. A check measures only the first one.
 */
const OSCILLATIONS = 2;
/** Steps and ends of the sweep, ns. They are not simple fractions of a period, so the points cover all phases. */
const STEPS_NS = [14, 18] as const;
const STOPS_NS = [240, 320, 401] as const;

function candidate(
  subject: CheckSubject,
  { amplitude, stored }: { amplitude: number; stored: number },
  sweep: { stop: number; step: number },
): CheckCandidate {
  const time_range = { value: [0, sweep.stop, sweep.step], value_type: 'range' };
  const read = sweepPoints(time_range);
  const further = subject.run.fine_time_range;
  const fine = further === undefined ? null : sweepPoints(further);
  const times = [...(read.ok ? read.value : []), ...(fine?.ok ? fine.value : [])];
  return {
    run: { time_range, second_detuning: { value: 0, value_type: 'float' } },
    points: times.length,
    model: {
      values: [stored],
      populations([tried = stored]) {
        const frequency = (TARGET_RABI_FREQUENCY_GHZ * amplitude) / tried;
        return times.map((time) => Math.sin(Math.PI * frequency * (time + PULSE_RAMP_NS)) ** 2);
      },
    },
  };
}

/** Measures the oscillation at the stored frequency, with long steps. */
export const rabiCheck: CheckForm = {
  tests: { control_amplitude: { tolerance: 0.05, of: 'value' } },
  pointsOfAll: (run) => OSCILLATIONS * (pointsOf(run.time_range) + pointsOf(run.fine_time_range)),
  candidates(subject) {
    const stored = subject.values.control_amplitude;
    const amplitude = numberOf(subject.inputs.control_amplitude);
    if (stored === undefined || amplitude === undefined) return 'The control amplitude is unknown.';
    return STEPS_NS.flatMap((step) =>
      STOPS_NS.map((stop) => candidate(subject, { amplitude, stored }, { stop, step })),
    );
  },
};

/** Measures the oscillation of the second transition with fewer shots. */
export const efRabiCheck: CheckForm = { tests: { ef_control_amplitude: { tolerance: 0.05, of: 'value' } } };

/** Measures the oscillation at the stored frequency with fewer shots. */
export const qubitCheck: CheckForm = { tests: { rabi_frequency: { tolerance: 0.05, of: 'value' } } };
