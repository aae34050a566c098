import type { Dataset } from '../../../science/datasets/model.ts';
import { reflectedBy } from '../../../science/device/continuous-drive.ts';
import type { AveragedSignals } from '../../../science/device/readout.ts';
import { addLineNoise, sweepLine } from '../../../science/device/reflection.ts';
import type { Populations } from '../../../science/device/third-level.ts';
import type { ResolvedParameters } from '../../model.ts';
import type { Experiment } from './model.ts';
import { requireNumber, requireSweep } from './parameters.ts';
import { places, shorten, sweepDataset } from './sweeps.ts';

/** Readout with a continuous tone while the qubit is driven has more amplifier noise than a sweep over a resonator. */
const NOISE_FACTOR = 2.5;

/** The sweep of the band that the run parameter `band` selects. */
export function bandSweep(run: ResolvedParameters): number[] {
  return requireSweep(run, run.band?.value === 'low' ? 'frequency_range_low_band' : 'frequency_range');
}

/** A complex signal over power (rows) and frequency. */
export function mapDataset(
  powers: readonly number[],
  frequencies: readonly number[],
  rows: readonly { re: readonly number[]; im: readonly number[] }[],
): Dataset {
  const dims = ['power', 'frequency'];
  const signal = (part: 're' | 'im', long_name: string) => ({
    dims,
    values: shorten(rows.flatMap((row) => row[part])),
    unit: 'a.u.',
    long_name,
  });
  return {
    dims: { power: powers.length, frequency: frequencies.length },
    coordinates: {
      power: { dims: ['power'], values: places(powers), unit: 'dB', long_name: 'Power, 0 dB is full scale' },
      frequency: {
        dims: ['frequency'],
        values: places(frequencies),
        unit: 'GHz',
        long_name: 'Frequency of the tone',
      },
    },
    variables: {
      iq_re: signal('re', 'In-phase reflection relative to the tone'),
      iq_im: signal('im', 'Quadrature reflection relative to the tone'),
    },
  };
}

/** Reads the driven qubit with the task's readout tone. */
export function readContinuously(
  { qubit, inputs, run, noise }: Experiment,
  populations: readonly Populations[],
): AveragedSignals {
  const frequency = requireNumber(inputs, 'readout_frequency');
  const amplitude = requireNumber(run, 'readout_amplitude');
  const shots = requireNumber(run, 'shots');
  const signals = populations.map((each) => reflectedBy(qubit, frequency, each));
  return addLineNoise(signals, qubit, { amplitude: amplitude / NOISE_FACTOR, shots }, noise);
}

/** Frequencies as the axis of a sweep. */
export function frequencyAxis(points: readonly number[], longName: string) {
  return { name: 'frequency', longName, unit: 'GHz', points };
}

/** The signal of a readout tone that is swept over the resonators of its line. */
export function sweepReadoutTone(
  { qubit, muxMates, run, noise }: Experiment,
  points: readonly number[],
): Dataset {
  const tone = { amplitude: requireNumber(run, 'readout_amplitude'), shots: requireNumber(run, 'shots') };
  const signals = sweepLine(muxMates(), points, 20 * Math.log10(tone.amplitude));
  return sweepDataset(
    frequencyAxis(points, 'Frequency of the readout tone'),
    addLineNoise(signals, qubit, tone, noise),
  );
}
