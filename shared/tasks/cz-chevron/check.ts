import { czPopulation } from '../../science/conventions/cz-exchange.ts';
import type { CheckCandidate, CheckForm, CheckSubject } from '../check-model.ts';
import { numberOf, pointsOf } from '../common/parameters.ts';

/** Range of the sweep on either side of the stored amplitude: minimum in a.u., and as a fraction of it. */
const REACH = { least: 0.012, part: 0.035 };
/** Distance of amplitudes, a.u. The narrowest resonances with usual slopes are still visible. */
const STEP = 0.00045;
/**
 * Candidates for the number of pulse lengths, and the longest one as a multiple of the gate's length. Even a slower
 * excitation must have returned by then.
 */
const LENGTHS = [13, 17, 21] as const;
const LONGEST = 1.7;
/**
 * Usual slope of the detuning, GHz per amplitude. The actual slope is not stored; the value only affects the number of
 * shots.
 */
const SLOPE = 4;
/** Prepared states of the lower qubit. */
const PREPARED = [0, 1] as const;

/** Measures the neighbourhood of the stored pulse. */
export const czChevronCheck: CheckForm = {
  tests: {
    cz_flux_amplitude: { tolerance: 0.005, of: 'value' },
    cz_gate_time: { tolerance: 0.03, of: 'value' },
    cz_splitting: { tolerance: 0.05, of: 'value' },
  },
  pointsOfAll: (run) => pointsOf(run.flux_amplitude_range) * pointsOf(run.time_range) + PREPARED.length,
  candidates(subject) {
    const { cz_flux_amplitude: amplitude, cz_gate_time: length, cz_splitting: splitting } = subject.values;
    if (!(amplitude && length && splitting)) return 'The stored pulse has no amplitude, length or splitting.';
    const pulse = { amplitude, length, splitting };
    return LENGTHS.map((lengths) => candidateOf(subject, pulse, lengths));
  },
};

function candidateOf(
  { inputs }: CheckSubject,
  pulse: Record<'amplitude' | 'length' | 'splitting', number>,
  lengths: number,
): CheckCandidate {
  const reach = Math.max(REACH.least, REACH.part * pulse.amplitude);
  const limit = numberOf(inputs.flux_pulse_limit) ?? 1;
  const from = Math.max(0, pulse.amplitude - reach);
  const to = Math.min(limit, pulse.amplitude + reach);
  const amplitudes = Math.ceil((to - from) / STEP) + 1;
  const longest = LONGEST * pulse.length;
  const places = Array.from({ length: lengths }, (_, row) =>
    Array.from({ length: amplitudes }, (_each, column) => ({
      amplitude: from + ((to - from) * column) / (amplitudes - 1),
      time: (longest * row) / (lengths - 1),
    })),
  ).flat();
  return {
    run: {
      flux_amplitude_range: { value: [from, to, amplitudes], value_type: 'np.linspace' },
      time_range: { value: [0, longest, lengths], value_type: 'np.linspace' },
    },
    points: places.length + PREPARED.length,
    model: {
      values: [pulse.amplitude, pulse.length, pulse.splitting],
      populations: ([centre = 0, length = 0, inMHz = 0]) => [
        ...places.map(({ amplitude, time }) => {
          const splitting = inMHz / 1000;
          const ramp = length - 1 / splitting;
          return czPopulation([centre, splitting, SLOPE, ramp], amplitude, time);
        }),
        ...PREPARED,
      ],
    },
  };
}
