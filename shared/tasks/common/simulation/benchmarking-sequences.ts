import { SEQUENCES_PER_LENGTH } from '../../../science/conventions/benchmarking.ts';
import type { Dataset } from '../../../science/datasets/model.ts';
import type { Experiment } from './model.ts';
import { requireNumber } from './parameters.ts';

/** Standard deviation of the survival between random sequences after the state has decayed completely. */
export const SEQUENCE_DEVIATION = 0.02;

/** Number of random sequences of each length. @throws if there are fewer than 2 or more than 100 */
export function trialsOf(run: Parameters<typeof requireNumber>[0]): number {
  const trials = requireNumber(run, 'n_trials');
  if (!Number.isSafeInteger(trials) || trials < 2 || trials > SEQUENCES_PER_LENGTH.most) {
    throw new Error(
      `The simulator measures 2 to ${SEQUENCES_PER_LENGTH.most} sequences of each length, not ${trials}.`,
    );
  }
  return trials;
}

/** Axes of a benchmark: the sequence lengths in Cliffords, and the sequences of each length. */
export function sequenceAxes(
  cliffordCounts: readonly number[],
  trials: number,
): Pick<Dataset, 'dims' | 'coordinates'> {
  return {
    dims: { clifford_count: cliffordCounts.length, trial: trials },
    coordinates: {
      clifford_count: {
        dims: ['clifford_count'],
        values: [...cliffordCounts],
        unit: '',
        long_name: 'Number of Cliffords in the sequence',
      },
      trial: {
        dims: ['trial'],
        values: Array.from({ length: trials }, (_, index) => index),
        unit: '',
        long_name: 'Number of the random sequence',
      },
    },
  };
}

/** Z rotations are virtual, so of the 24 Cliffords 4 need no pulse, 16 one pi/2 pulse and 4 two. */
export const PULSES_PER_CLIFFORD = (16 + 2 * 4) / 24;

/** Decay of a state per Clifford, with {@link PULSES_PER_CLIFFORD} pulses. */
export function cliffordDecay(x90Error: number): number {
  const kept = 1 - 2 * x90Error;
  return (4 + 16 * kept + 4 * kept ** 2) / 24;
}

/** Populations after random sequences of one length that would end in the ground state with perfect gates. */
export function sequencePopulations(
  { qubit, noise }: Experiment,
  decay: number,
  count: number,
  trials: number,
): number[] {
  const kept = Math.max(0, decay) ** count;
  return Array.from({ length: trials }, () => {
    const polarisation = kept + 2 * SEQUENCE_DEVIATION * (1 - kept) * noise.normal();
    const z = (1 - 2 * qubit.thermalPopulation) * Math.max(-1, Math.min(1, polarisation));
    return (1 - z) / 2;
  });
}
