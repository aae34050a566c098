import { DEFAULT_READOUT, READOUT_RAMP_NS, SAMPLE_NS } from '../../science/conventions/readout.ts';
import type { Dataset } from '../../science/datasets/model.ts';
import { addLineNoise, REFERENCE_SHOTS, reflect, sweepLine } from '../../science/device/reflection.ts';
import {
  requireNumber,
  requireSweep,
  shorten,
  sweepDataset,
  type TaskPhysics,
} from '../common/simulation/physics.ts';
import { drivenPopulations, readContinuously } from '../qubit-spectroscopy/simulation.ts';
import { bandSweep } from '../resonator-spectroscopy/simulation.ts';

/** The readout pulse that the device plays where the task leaves it to it: parts of full scale, and ns. */
const WAVEFORM = { amplitude: 0.04, duration: DEFAULT_READOUT.lengthNs, preMargin: 32, postMargin: 128 };

function frequencyAxis(points: readonly number[], longName: string) {
  return { name: 'frequency', longName, unit: 'GHz', points };
}

/** One sweep of a readout tone over part of the band: phase and size of what comes back. */
export const lineSweepPhysics: TaskPhysics = {
  measure({ qubit, muxMates, run, noise }) {
    const points = bandSweep(run);
    const tone = { amplitude: requireNumber(run, 'readout_amplitude'), shots: requireNumber(run, 'shots') };
    const signals = sweepLine(muxMates(), points, 20 * Math.log10(tone.amplitude));
    return sweepDataset(
      frequencyAxis(points, 'Frequency of the readout tone'),
      addLineNoise(signals, qubit, tone, noise),
    );
  },
};

/** A fine sweep around the resonator as it is believed to lie. */
export const reflectionPhysics: TaskPhysics = {
  measure({ qubit, muxMates, inputs, run, noise }) {
    const centre = requireNumber(inputs, 'readout_frequency');
    const [width, step] = [requireNumber(run, 'frequency_width'), requireNumber(run, 'frequency_step')];
    if (!(step > 0 && width > step)) {
      throw new Error('The simulator needs a frequency_step above 0 and below the frequency_width.');
    }
    const count = Math.floor(width / 2 / step + 1e-6);
    const points = Array.from({ length: 2 * count + 1 }, (_, index) => centre + (index - count) * step);
    const tone = { amplitude: requireNumber(run, 'readout_amplitude'), shots: requireNumber(run, 'shots') };
    const signals = sweepLine(muxMates(), points, 20 * Math.log10(tone.amplitude));
    return sweepDataset(
      frequencyAxis(points, 'Frequency of the readout tone'),
      addLineNoise(signals, qubit, tone, noise),
    );
  },
};

/** Mean and scatter of the single shots for each readout amplitude. */
export const readoutAmplitudePhysics: TaskPhysics = {
  measure({ qubit, inputs, run, noise }) {
    const points = requireSweep(run, 'amplitude_range');
    const shots = requireNumber(run, 'shots');
    const { re, im } = reflect(qubit, requireNumber(inputs, 'readout_frequency') - qubit.resonatorGround);
    // Of one shot and quadrature, not relative to the tone.
    const shotNoise = qubit.lineNoise * Math.sqrt(REFERENCE_SHOTS);
    const signals = { re: [] as number[], im: [] as number[] };
    const scatter: number[] = [];
    for (const amplitude of points) {
      signals.re.push(amplitude * re + (shotNoise / Math.sqrt(shots)) * noise.normal());
      signals.im.push(amplitude * im + (shotNoise / Math.sqrt(shots)) * noise.normal());
      // The scatter of the scatter over 2 N numbers.
      scatter.push(Math.SQRT2 * shotNoise * (1 + noise.normal() / Math.sqrt(4 * shots)));
    }
    const axis = { name: 'amplitude', longName: 'Amplitude of the readout pulse', unit: 'a.u.', points };
    const dataset = sweepDataset(axis, signals);
    dataset.variables.noise = {
      dims: ['amplitude'],
      values: shorten(scatter),
      unit: 'a.u.',
      long_name: 'Standard deviation of single shots in the IQ plane',
    };
    return dataset;
  },
};

/** Sweeps a drive of one power over the band. */
export const qubitFrequenciesPhysics: TaskPhysics = {
  measure(experiment) {
    const { qubit, run } = experiment;
    const points = bandSweep(run);
    const rabiFrequency = qubit.maximumRabiFrequency * requireNumber(run, 'control_amplitude');
    const populations = points.map((frequency) => drivenPopulations(qubit, frequency, rabiFrequency));
    return sweepDataset(
      frequencyAxis(points, 'Frequency of the drive'),
      readContinuously(experiment, populations),
    );
  },
};

/** The readout pulse as it comes back, sampled over time. */
export const waveformPhysics: TaskPhysics = {
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
    // A sample lasts much shorter than a readout, and averages less.
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

const NOISE_SAMPLES = 256;

/** The converter without any drive. */
export const adcNoisePhysics: TaskPhysics = {
  measure({ qubit, noise }): Dataset {
    const deviation = qubit.lineNoise * Math.sqrt(REFERENCE_SHOTS);
    const points = Array.from({ length: NOISE_SAMPLES }, (_, index) => index * SAMPLE_NS);
    const quadrature = () => points.map(() => deviation * noise.normal());
    const signals = { re: quadrature(), im: quadrature() };
    return sweepDataset(
      { name: 'time', longName: 'Time since the start of the capture', unit: 'ns', points },
      signals,
    );
  },
};
