import { SIGNIFICANT } from '../../science/fitting/estimate.ts';
import type { RivalFringe } from '../../science/fitting/fringe-rivals.ts';
import { parameterEstimate } from '../common/analysis/judged-fit.ts';
import type { AnalysisInput } from '../common/analysis/model.ts';
import { numberOf } from '../common/parameters.ts';
import type { NextPassSettings } from '../next-pass.ts';
import type { FringeDecay } from './fringe-decay.ts';

/** Detuning from the intended frequency above which off-resonant pulses distort the fringes, GHz. */
const FAR_OFF = 2e-3;
/** Factor by which the next sweep is longer, and number of points within the decay in a shorter sweep. */
const LONGER = 10;
const POINTS_OF_DECAY = 10;
/** Additional times between the first ones of a longer sweep: the first of them, ns, and their number. */
const FIRST_FURTHER_NS = 100;
const FURTHER_TIMES = 16;
/** Ratio of the step to the first additional time above which additional times are needed. */
const MANY_FIRST = 10;
/** Sampling interval of the control, ns. */
const SAMPLE_NS = 2;

/** Settings that would succeed where these failed: a drive nearer to the qubit, or a sweep as long as the decay. */
export function betterRun(
  input: AnalysisInput,
  t: readonly number[],
  { found: { fit }, time }: FringeDecay,
  rival: RivalFringe | null,
): NextPassSettings | null {
  const detuning = numberOf(input.runParameters.detuning);
  if (!fit.ok || detuning === undefined) return null;
  const frequency = parameterEstimate(fit, 1);
  const off = detuning - frequency.value;
  if (Math.abs(off) > FAR_OFF && frequency.error < FAR_OFF / SIGNIFICANT) {
    const nearer = Number((detuning + off).toPrecision(6));
    return {
      run: { detuning: { value: nearer, value_type: 'float' } },
      reason: `the qubit is ${(1000 * off).toFixed(1)} MHz away from its stored frequency`,
    };
  }
  const span = Math.max(...t) - Math.min(...t);
  const count = new Set(t).size;
  const longest = longestStep(t);
  if (rival !== null && longest > FIRST_FURTHER_NS) {
    return {
      run: { fine_time_range: furtherTimes(longest) },
      reason: `steps of ${longest} ns leave open which of two fringes they show`,
    };
  }
  if (time.value > span) {
    const step = Math.max(SAMPLE_NS, Math.round((LONGER * span) / count / SAMPLE_NS) * SAMPLE_NS);
    // Steps of this length leave many aliases.
    return {
      run: {
        time_range: { value: [0, LONGER * span + 1, step], value_type: 'np.arange' },
        ...(step > MANY_FIRST * FIRST_FURTHER_NS && {
          fine_time_range: furtherTimes(step),
        }),
      },
      reason: `the fringes last longer than the sweep of ${span / 1000} us`,
    };
  }
  const step = SAMPLE_NS * Math.max(1, Math.round(time.value / POINTS_OF_DECAY / SAMPLE_NS));
  if (!(time.value < POINTS_OF_DECAY * (span / count)) || step >= span / count) return null;
  return {
    run: { time_range: { value: [0, count * step, step], value_type: 'np.arange' } },
    reason: `the fringes are over within ${(time.value / 1000).toPrecision(2)} us`,
  };
}

/**
 * Times up to a step, each about one and a half times the previous one, which distinguish the many aliases of the step.
 */
function furtherTimes(step: number) {
  return {
    value: [Math.log10(FIRST_FURTHER_NS), Math.log10(step), FURTHER_TIMES],
    value_type: 'np.logspace',
  };
}

function longestStep(t: readonly number[]): number {
  const sorted = [...new Set(t)].sort((a, b) => a - b);
  return Math.max(...sorted.slice(1).map((time, index) => time - (sorted[index] ?? 0)));
}
