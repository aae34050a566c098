import type { Dataset } from '../../science/datasets/model.ts';
import { addLineNoise, isSpur, sweepLine } from '../../science/device/reflection.ts';
import { requireNumber, requireSweep, shorten, type TaskPhysics } from '../common/simulation/physics.ts';
import type { ResolvedParameters } from '../model.ts';

/** The sweep of the band that the run parameter `band` names. */
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
      power: { dims: ['power'], values: shorten(powers), unit: 'dB', long_name: 'Power, 0 dB is full scale' },
      frequency: {
        dims: ['frequency'],
        values: shorten(frequencies),
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

/** Sweeps a readout tone over all resonators of the line, for each power. */
export const resonatorSpectroscopyPhysics: TaskPhysics = {
  shared: 'mux',
  measure({ qubit, muxMates, run, noise }) {
    const frequencies = bandSweep(run);
    const powers = requireSweep(run, 'power_range');
    const shots = requireNumber(run, 'shots');
    const mates = muxMates();
    const scrambled = frequencies.map((frequency) => (isSpur(frequency) ? noise.between(0.5, 5.5) : null));
    const rows = powers.map((power) => {
      const signals = sweepLine(mates, frequencies, power).map((signal, index) => {
        const phase = scrambled[index];
        if (phase === null || phase === undefined) return signal;
        const [cos, sin] = [Math.cos(phase), Math.sin(phase)];
        return { re: signal.re * cos - signal.im * sin, im: signal.re * sin + signal.im * cos };
      });
      return addLineNoise(signals, qubit, { amplitude: 10 ** (power / 20), shots }, noise);
    });
    return mapDataset(powers, frequencies, rows);
  },
};
