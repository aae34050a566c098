import { DEFAULT_READOUT, READOUT_RAMP_NS, SAMPLE_NS } from '../../science/conventions/readout.ts';
import { REFERENCE_SHOTS } from '../../science/device/reflection.ts';
import type { QubitSimulation } from '../common/simulation/model.ts';
import { requireNumber } from '../common/simulation/parameters.ts';
import { sweepDataset } from '../common/simulation/sweeps.ts';

/** The readout pulse that the device plays by default: amplitude as a fraction of full scale, times in ns. */
const WAVEFORM = { amplitude: 0.04, duration: DEFAULT_READOUT.lengthNs, preMargin: 32, postMargin: 128 };

/** The reflected readout pulse, sampled over time. */
export const waveformSimulation: QubitSimulation = {
  measure({ qubit, run, noise }) {
    const setting = (name: string, otherwise: number) =>
      run[name] === undefined || run[name].value === null ? otherwise : requireNumber(run, name);
    const amplitude = setting('readout_amplitude', WAVEFORM.amplitude);
    const duration = setting('readout_duration', WAVEFORM.duration);
    const before = setting('readout_pre_margin', WAVEFORM.preMargin);
    const total = before + duration + setting('readout_post_margin', WAVEFORM.postMargin);
    const shots = requireNumber(run, 'shots');
    const points = Array.from({ length: Math.max(1, Math.ceil(total / SAMPLE_NS)) }, (_, i) => i * SAMPLE_NS);
    const ramp = Math.min(READOUT_RAMP_NS, duration / 2);
    const rising = (time: number) => (1 - Math.cos(Math.PI * Math.min(1, Math.max(0, time / ramp)))) / 2;
    const [cos, sin] = [Math.cos(qubit.linePhase), Math.sin(qubit.linePhase)];
    // A sample is much shorter than a readout, so it has more noise.
    const deviation =
      qubit.lineNoise * Math.sqrt(REFERENCE_SHOTS / shots) * Math.sqrt(qubit.readoutLengthNs / SAMPLE_NS);
    const signals = { re: [] as number[], im: [] as number[] };
    for (const time of points) {
      const envelope = amplitude * Math.min(rising(time - before), rising(before + duration - time));
      signals.re.push(envelope * cos + deviation * noise.normal());
      signals.im.push(envelope * sin + deviation * noise.normal());
    }
    return sweepDataset(
      { name: 'time', longName: 'Time since the start of the capture', unit: 'ns', points },
      signals,
    );
  },
};
