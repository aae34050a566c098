import type { DragPulseName } from '../../../science/conventions/drag.ts';
import {
  DEFAULT_CONTROL_AMPLITUDE,
  type PlainPulse,
  TARGET_RABI_FREQUENCY_GHZ,
} from '../../../science/conventions/pulse.ts';
import { DEFAULT_READOUT } from '../../../science/conventions/readout.ts';
import { MHZ_PER_GHZ } from '../../../science/conventions/units.ts';
import type { TaskInput } from '../../model.ts';
import {
  betaLimits,
  coherenceTimeLimits,
  frequencyLimits,
  pulseAmplitudeLimits,
  pulseLengthLimits,
} from './limits.ts';

export type Inputs = Readonly<Record<string, TaskInput>>;

export const qubitFrequency: TaskInput = {
  unit: 'GHz',
  valueType: 'float',
  description: 'Frequency of the transition from the ground to the first excited state',
  required: true,
  bounds: frequencyLimits,
};

/** Readout of the qubit. `readout_frequency` has no sensible fallback: with a wrong one nothing can be read. */
export const readoutInputs = {
  readout_frequency: {
    unit: 'GHz',
    valueType: 'float',
    description: 'Frequency of the readout pulse',
    required: true,
    bounds: frequencyLimits,
  },
  readout_amplitude: {
    unit: 'a.u.',
    valueType: 'float',
    description: 'Amplitude of the readout pulse',
    required: true,
    fallback: DEFAULT_READOUT.amplitude,
    bounds: pulseAmplitudeLimits,
  },
  readout_length: {
    unit: 'ns',
    valueType: 'float',
    description: 'Length of the readout pulse',
    required: true,
    fallback: DEFAULT_READOUT.lengthNs,
    bounds: { minimum: 0, exclusiveMinimum: true, maximum: 100_000 },
  },
} satisfies Inputs;

/** The Rabi frequency of a calibrated control amplitude, as text. */
export const TARGET_RABI_FREQUENCY_TEXT = `${MHZ_PER_GHZ * TARGET_RABI_FREQUENCY_GHZ} MHz`;
/** Description of a calibrated control amplitude. */
export const CALIBRATED_CONTROL = `Control amplitude that gives a Rabi frequency of ${TARGET_RABI_FREQUENCY_TEXT}`;

/** The amplitude of the control pulse; required if there is no `fallback`. */
export function controlAmplitude(description: string, fallback?: number): TaskInput {
  return {
    unit: 'a.u.',
    valueType: 'float',
    description,
    required: true,
    ...(fallback === undefined ? {} : { fallback }),
    bounds: pulseAmplitudeLimits,
  };
}

/** Drive and readout of a qubit before its pulses are calibrated. */
export const driveInputs = {
  qubit_frequency: qubitFrequency,
  control_amplitude: controlAmplitude(CALIBRATED_CONTROL, DEFAULT_CONTROL_AMPLITUDE),
  ...readoutInputs,
} satisfies Inputs;

/** The control amplitude at the centre of a sweep of a pulse's amplitude. */
export const centringControlAmplitude = controlAmplitude(
  `${CALIBRATED_CONTROL}, which is the centre of the sweep`,
);

/** A calibrated plain pulse, as its Create task stores it. */
export function plainPulseInputs(name: PlainPulse): Inputs {
  return pulseInputs(name, name === 'hpi' ? 'pi/2' : 'pi');
}

/** A calibrated DRAG pulse, as its Create task stores it. */
export function dragPulseInputs(name: DragPulseName): Inputs {
  const pulse = name === 'drag_hpi' ? 'DRAG pi/2' : 'DRAG pi';
  return {
    ...pulseInputs(name, pulse),
    [`${name}_beta`]: {
      unit: 'ns',
      valueType: 'float',
      description: `Weight of the derivative in the ${pulse} pulse`,
      required: true,
      bounds: betaLimits,
    },
  };
}

function pulseInputs(name: string, pulse: string): Inputs {
  return {
    [`${name}_amplitude`]: {
      unit: 'a.u.',
      valueType: 'float',
      description: `Amplitude of the ${pulse} pulse`,
      required: true,
      bounds: pulseAmplitudeLimits,
    },
    [`${name}_length`]: {
      unit: 'ns',
      valueType: 'float',
      description: `Length of the ${pulse} pulse`,
      required: true,
      bounds: pulseLengthLimits,
    },
  };
}

/** A qubit with its pi/2 pulse calibrated. */
export const dragHpiInputs = {
  qubit_frequency: qubitFrequency,
  ...dragPulseInputs('drag_hpi'),
  ...readoutInputs,
} satisfies Inputs;

/** Coherence times from which a coherence limit is computed. */
export const coherenceInputs = {
  t1_average: coherenceTime('Energy relaxation time, average of several measurements'),
  t2_echo_average: coherenceTime('Coherence time with an echo, average of several measurements'),
} satisfies Inputs;

function coherenceTime(description: string): TaskInput {
  return { unit: 'us', valueType: 'float', description, required: true, bounds: coherenceTimeLimits };
}
