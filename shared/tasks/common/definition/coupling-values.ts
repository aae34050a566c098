import type { TaskInput, TaskOutput } from '../../model.ts';
import { amplitudeLimits, betaLimits, phaseLimits, pulseAmplitudeLimits } from './limits.ts';
import {
  dragHpiInputs,
  dragPulseInputs,
  type Inputs,
  qubitFrequency,
  readoutInputs,
} from './qubit-inputs.ts';

/** Inputs of a one-qubit task for one qubit of a coupling, with names prefixed by its role. */
export function inputsOf(from: 'control' | 'target', inputs: Inputs): Inputs {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, input]) => [
      `${from}_${name}`,
      { ...input, from, description: `${input.description}, of the ${from}` },
    ]),
  );
}

function optional(inputs: Inputs): Inputs {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, input]) => [name, { ...input, required: false }]),
  );
}

/**
 * Both qubits as calibrated individually. The target's pi/2 pulse is included if it exists: it rotates the measured axis
 * to the readout axis.
 */
export const pairInputs: Inputs = {
  ...inputsOf('control', dragHpiInputs),
  ...inputsOf('target', { qubit_frequency: qubitFrequency, ...readoutInputs }),
  ...optional(inputsOf('target', dragPulseInputs('drag_hpi'))),
};

/** Values of the pair, determined by the tomography and again at the creation of the gate. */
export const crossResonanceOutputs: Readonly<Record<string, TaskOutput>> = {
  cr_amplitude: {
    unit: 'a.u.',
    valueType: 'float',
    description: 'Amplitude of the cross-resonance tone on the control, at the frequency of the target',
    bounds: pulseAmplitudeLimits,
    role: 'control',
  },
  cr_phase: {
    unit: 'a.u.',
    valueType: 'float',
    description: 'Phase of the cross-resonance tone at which ZY vanishes, in radians',
    bounds: phaseLimits,
    role: 'control',
  },
  cancel_amplitude: {
    unit: 'a.u.',
    valueType: 'float',
    description: 'Amplitude of the tone on the target that cancels IX and IY',
    bounds: amplitudeLimits,
    role: 'target',
  },
  cancel_phase: {
    unit: 'a.u.',
    valueType: 'float',
    description: 'Phase of the tone that cancels IX and IY, in radians',
    bounds: phaseLimits,
    role: 'target',
  },
  cancel_beta: {
    unit: 'ns',
    valueType: 'float',
    description: 'Weight of the derivative in the tone that cancels IX and IY',
    bounds: betaLimits,
    role: 'target',
  },
  rotary_amplitude: {
    unit: 'a.u.',
    valueType: 'float',
    description: 'Amplitude of a rotary tone on the target, which the echo of the gate cancels',
    bounds: { minimum: -1, maximum: 1 },
    role: 'control',
  },
  zx_rotation_rate: {
    unit: 'GHz',
    valueType: 'float',
    description: 'Rate at which the target rotates about x, in a sense that depends on the control',
    bounds: { minimum: 0, exclusiveMinimum: true, maximum: 0.1 },
    role: 'coupling',
  },
};

/** A value of the pair as an input. It is stored with the coupling, regardless of its subject. */
function pairInput({ role: _role, ...value }: TaskOutput): TaskInput {
  return { ...value, required: true, from: 'coupling' };
}

/** Results of CheckCrossResonance and CreateZX90 as inputs of the tasks that play the gate. */
const crossResonanceInputs: Inputs = Object.fromEntries(
  Object.entries(crossResonanceOutputs).map(([name, value]) => [name, pairInput(value)]),
);

/** Inputs of all tasks that play the calibrated gate. */
export const gateInputs: Inputs = { ...pairInputs, ...crossResonanceInputs };

/** Length of the calibrated gate: an output of the task that creates it, and an input of the coherence limit. */
export const gateTimeOutput: TaskOutput = {
  unit: 'ns',
  valueType: 'float',
  description: 'Length of the echoed ZX90 gate',
  bounds: { minimum: 0, exclusiveMinimum: true, maximum: 100_000 },
  role: 'coupling',
};
export const gateTimeInput = pairInput(gateTimeOutput);

/**
 * Declares that a pair has a flux line. It is a value of the coupling that no task measures. Pairs without it are
 * refused before any measurement, with a message that names it.
 */
const fluxLine: Inputs = {
  flux_pulse_limit: {
    unit: 'a.u.',
    valueType: 'float',
    description:
      'Maximum amplitude of pulses on the flux line of the pair; set it for pairs that have such a line',
    required: true,
    from: 'coupling',
    bounds: pulseAmplitudeLimits,
  },
};

/** Inputs of all tasks that play flux pulses on a pair: both qubits with their pi/2 pulses, and the line. */
export const fluxPairInputs: Inputs = {
  ...inputsOf('control', dragHpiInputs),
  ...inputsOf('target', dragHpiInputs),
  ...fluxLine,
};

/** The flux pulse that makes a CZ gate. */
export const czPulseOutputs = {
  cz_flux_amplitude: {
    unit: 'a.u.',
    valueType: 'float',
    description: 'Amplitude of the flux pulse at which |11> meets the state of two excitations in one qubit',
    bounds: pulseAmplitudeLimits,
    role: 'coupling',
  },
  cz_gate_time: {
    unit: 'ns',
    valueType: 'float',
    description: 'Length of the flux pulse after which |11> returns with the opposite sign',
    bounds: { minimum: 0, exclusiveMinimum: true, maximum: 10_000 },
    role: 'coupling',
  },
} as const satisfies Readonly<Record<string, TaskOutput>>;

/** Phases that each qubit acquires during the gate while the other is in its ground state; later pulses compensate them. */
export const czPhaseOutputs: Readonly<Record<string, TaskOutput>> = Object.fromEntries(
  (['control', 'target'] as const).map((side) => [
    `cz_${side}_phase`,
    {
      unit: 'a.u.',
      valueType: 'float',
      description: `Phase of the ${side} by the CZ gate while the other qubit is in its ground state, in radians`,
      bounds: phaseLimits,
      role: side,
    },
  ]),
);

function pairInputsOf(outputs: Readonly<Record<string, TaskOutput>>): Inputs {
  return Object.fromEntries(Object.entries(outputs).map(([name, value]) => [name, pairInput(value)]));
}

/** Inputs of all tasks that play the CZ pulse, followed by those of tasks that also compensate its phases. */
export const czPulseInputs: Inputs = {
  ...fluxPairInputs,
  ...pairInputsOf(czPulseOutputs),
  cz_flux_amplitude: { ...pairInput(czPulseOutputs.cz_flux_amplitude), limitedBy: 'flux_pulse_limit' },
};
export const czGateInputs: Inputs = { ...czPulseInputs, ...pairInputsOf(czPhaseOutputs) };
