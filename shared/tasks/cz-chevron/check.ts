import { czPopulation } from '../../science/conventions/cz-exchange.ts';
import type { CheckCandidate, CheckForm, CheckSubject } from '../check-model.ts';
import { numberOf, pointsOf } from '../common/parameters.ts';

/** How far the sweep goes to either side of the stored amplitude: a.u. at least, and as a part of it. */
const REACH = { least: 0.012, part: 0.035 };
/** Distance of amplitudes, a.u.: so close that the narrowest resonances of usual slopes are seen. */
const STEP = 0.00045;
/** Lengths: how many, up to which part of that of the gate. The excitation must have come back, also a slower one. */
const LENGTHS = [13, 17, 21] as const;
const LONGEST = 1.7;
/** GHz per amplitude: usual slopes of the detuning. No task stores the own one; it only decides how many shots are taken. */
const SLOPE = 4;
/** Both states of the lower qubit. */
const PREPARED = [0, 1] as const;

/** The neighbourhood of the stored pulse. */
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
