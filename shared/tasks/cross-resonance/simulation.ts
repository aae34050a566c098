import { CR_RAMP_NS, CR_STEPS } from '../../science/conventions/cross-resonance.ts';
import type { Dataset } from '../../science/datasets/model.ts';
import { type BlochVector, excitedPopulation } from '../../science/device/bloch.ts';
import {
  type ControlState,
  type CrossResonanceDrive,
  controlMixing,
  precession,
  targetRotation,
} from '../../science/device/cross-resonance.ts';
import { CR_GAIN } from '../../science/device/pair-device.ts';
import { type AveragedSignals, readOut } from '../../science/device/readout.ts';
import { rotateVector, withPhase } from '../../science/quantum/rotations.ts';
import { loadedPulse, play, played, populationAfterPulses } from '../common/simulation/drag-experiment.ts';
import { populationScale } from '../common/simulation/instrument.ts';
import type { PairExperiment, PairSimulation } from '../common/simulation/model.ts';
import { addPairReferences } from '../common/simulation/pair-references.ts';
import { readoutSettings, requireNumber, requireSweep } from '../common/simulation/parameters.ts';
import { shorten } from '../common/simulation/sweeps.ts';

const MAX_POINTS = 500;
/**
 * Maximum Rabi frequency of the tone, relative to the detuning of both qubits, at which the control does not follow it.
 */
const LARGEST_RELATIVE_DRIVE = 0.75;
const POLE = { x: 0, y: 0, z: 1 };
const STATES: readonly ControlState[] = [0, 1];

/** Signals of one step: the target over control state, axis and time, the control over control state and time. */
interface StepSignals {
  drive: CrossResonanceDrive;
  target: AveragedSignals;
  control: AveragedSignals;
}

/**
 * Rabi frequency per amplitude, computed from a qubit's pi/2 pulse, GHz/a.u. The area of a raised cosine is half its
 * length times its peak.
 */
function rabiPerAmplitude({ amplitude, lengthNs }: { amplitude: number; lengthNs: number }): number {
  return 1 / (2 * amplitude * lengthNs);
}

function measureStep(
  experiment: PairExperiment,
  times: readonly number[],
  drive: CrossResonanceDrive,
): StepSignals {
  const { pair, control, target, noise } = experiment;
  const quarter = played(target.qubit, loadedPulse(target, 'drag_hpi'));
  // Pulses about −y and about x rotate the axes x and y to the measured axis.
  const readings = [{ ...quarter, rotation: withPhase(quarter.rotation, -Math.PI / 2) }, quarter, null];
  const mixing = controlMixing(pair, drive.amplitude);
  const flip = played(control.qubit, loadedPulse(control, 'drag_hpi'));
  const excited = STATES.map((state) =>
    state === 0 ? 0 : populationAfterPulses(control.qubit, [flip, flip]),
  );
  const decay = (1 / pair.target.t1 + 1 / pair.target.t2Echo) / 2000;
  const after = STATES.map((state) => {
    const field = precession(pair, drive, state);
    return times.map((flatNs): BlochVector => {
      const left = Math.exp(-decay * (flatNs + CR_RAMP_NS));
      const { x, y, z } = rotateVector(targetRotation(field, flatNs), POLE);
      return { x: left * x, y: left * y, z: left * z };
    });
  });
  const populations = excited.flatMap((prepared) => {
    const share = prepared * (1 - 2 * mixing) + mixing;
    return readings.flatMap((reading) =>
      times.map((_, index) => {
        const [a, b] = [after[0]?.[index] ?? POLE, after[1]?.[index] ?? POLE];
        const mixed = {
          x: (1 - share) * a.x + share * b.x,
          y: (1 - share) * a.y + share * b.y,
          z: (1 - share) * a.z + share * b.z,
        };
        return excitedPopulation(reading === null ? mixed : play(target.qubit, mixed, reading));
      }),
    );
  });
  const kept = excited.flatMap((prepared) =>
    times.map((flatNs) => {
      const left = prepared * Math.exp(-flatNs / (1000 * control.qubit.t1));
      return flatNs > 0 ? left * (1 - 2 * mixing) + mixing : left;
    }),
  );
  return {
    drive,
    target: readOut(target.qubit, readoutSettings(target), populations, noise),
    control: readOut(control.qubit, readoutSettings(control), kept, noise),
  };
}

function tomographyDataset(times: readonly number[], steps: readonly StepSignals[]): Dataset {
  const coordinate = (name: string, values: readonly number[], unit: string, long_name: string) => ({
    [name]: { dims: [name], values: [...values], unit, long_name },
  });
  const all = (side: 'target' | 'control', part: 're' | 'im') =>
    shorten(steps.flatMap((step) => step[side][part]));
  const signal = (side: 'target' | 'control', part: 're' | 'im') => ({
    dims: side === 'target' ? ['step', 'control_state', 'axis', 'time'] : ['step', 'control_state', 'time'],
    values: all(side, part),
    unit: 'a.u.',
    long_name: `${part === 're' ? 'In-phase' : 'Quadrature'} signal of the ${side}, averaged`,
  });
  const tone = (pick: (drive: CrossResonanceDrive) => number, long_name: string) => ({
    dims: ['step'],
    values: shorten(steps.map(({ drive }) => pick(drive))),
    unit: 'a.u.',
    long_name,
  });
  return {
    dims: { step: steps.length, control_state: 2, axis: 3, time: times.length },
    coordinates: {
      ...coordinate(
        'step',
        steps.map((_, index) => index + 1),
        '',
        'Number of the step',
      ),
      ...coordinate('control_state', STATES, '', 'Prepared state of the control: 0 ground, 1 excited'),
      ...coordinate('axis', [0, 1, 2], '', 'Axis that is read: 0 x, 1 y, 2 z'),
      ...coordinate('time', shorten(times), 'ns', 'Length of the flat part of the cross-resonance pulse'),
    },
    variables: {
      iq_re: signal('target', 're'),
      iq_im: signal('target', 'im'),
      control_re: signal('control', 're'),
      control_im: signal('control', 'im'),
      cr_amplitude: tone(({ amplitude }) => amplitude, 'Amplitude of the cross-resonance tone'),
      cr_phase: tone(({ phase }) => phase, 'Phase of the cross-resonance tone, in radians'),
      cancel_amplitude: tone(({ cancelAmplitude }) => cancelAmplitude, 'Amplitude of the cancel tone'),
      cancel_phase: tone(({ cancelPhase }) => cancelPhase, 'Phase of the cancel tone, in radians'),
    },
  };
}

/**
 * Hamiltonian tomography in steps: each plays the phase and the cancel tone that the step before it suggests
 * (https://doi.org/10.1103/PhysRevA.93.060302). If a step cannot be evaluated, the next one repeats its tones.
 */
export const crossResonanceSimulation: PairSimulation = {
  measure(experiment) {
    const { pair, control, target, run } = experiment;
    const times = requireSweep(run, 'time_range');
    if (times.length > MAX_POINTS) {
      throw new Error(`The simulator measures at most ${MAX_POINTS} lengths, not ${times.length}.`);
    }
    const stored = requireNumber(target.inputs, 'qubit_frequency');
    const distance = Math.abs(requireNumber(control.inputs, 'qubit_frequency') - stored);
    const perAmplitude = CR_GAIN * rabiPerAmplitude(loadedPulse(control, 'drag_hpi'));
    const gain = rabiPerAmplitude(loadedPulse(target, 'drag_hpi'));
    let drive: CrossResonanceDrive = {
      amplitude: Math.min(1, (LARGEST_RELATIVE_DRIVE * distance) / perAmplitude),
      phase: 0,
      cancelAmplitude: 0,
      cancelPhase: 0,
      rotaryAmplitude: 0,
      frequency: stored,
    };
    const signals: StepSignals[] = [];
    for (let step = 0; step < CR_STEPS; step++) {
      signals.push(measureStep(experiment, times, drive));
      if (step === CR_STEPS - 1) break;
      const last = addPairReferences(tomographyDataset(times, signals.slice(-1)), experiment);
      const isRead = populationScale(last) !== null && populationScale(last, 'control_') !== null;
      // Before the first cancel tone, its effect on the target is known only from the stored values.
      const known = drive.cancelAmplitude > 0 ? pair.target.maximumRabiFrequency : gain;
      if (isRead) drive = { ...drive, ...suggested(experiment, drive, known) };
    }
    return addPairReferences(tomographyDataset(times, signals), experiment);
  },
};

/** Resolution of the instrument for the target's precession frequencies, GHz. */
const RESOLUTION = 5e-6;

/**
 * The tones of the next step, as an instrument determines them from the previous one: from the precession by the tone
 * alone, with noise. The phase removes ZY, and the cancel tone removes IX and IY.
 */
function suggested(
  { pair, noise }: PairExperiment,
  drive: CrossResonanceDrive,
  gain: number,
): Pick<CrossResonanceDrive, 'phase' | 'cancelAmplitude' | 'cancelPhase'> {
  const alone = { ...drive, phase: 0, cancelAmplitude: 0 };
  const [ground, excited] = [precession(pair, alone, 0), precession(pair, alone, 1)];
  const seen = (ofGround: number, ofExcited: number) =>
    (ofGround + ofExcited) / 2 + RESOLUTION * noise.normal();
  const [zx, zy] = [seen(ground.x, -excited.x), seen(ground.y, -excited.y)];
  const [ix, iy] = [seen(ground.x, excited.x), seen(ground.y, excited.y)];
  const phase = -Math.atan2(zy, zx);
  const cancelPhase = Math.PI + phase + Math.atan2(iy, ix);
  return {
    phase,
    cancelAmplitude: Math.min(1, Math.hypot(ix, iy) / gain),
    cancelPhase: Math.atan2(Math.sin(cancelPhase), Math.cos(cancelPhase)),
  };
}
