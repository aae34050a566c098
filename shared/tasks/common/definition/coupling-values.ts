import type { TaskInput, TaskOutput } from '../../model.ts';
import { amplitudeLimits, betaLimits, phaseLimits, pulseAmplitudeLimits } from './limits.ts';
import {
  dragHpiInputs,
  dragPulseInputs,
  type Inputs,
  qubitFrequency,
  readoutInputs,
} from './qubit-inputs.ts';

/** Inputs of a one-qubit task as those of one of the qubits of a coupling, named after its role. */
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
 * Both qubits as their own calibration left them. Of the target the pi/2 pulse too, where it has one: it turns the axis
 * that is looked at into the one that is read.
 */
export const pairInputs: Inputs = {
  ...inputsOf('control', dragHpiInputs),
  ...inputsOf('target', { qubit_frequency: qubitFrequency, ...readoutInputs }),
  ...optional(inputsOf('target', dragPulseInputs('drag_hpi'))),
};

/** Values that belong to the pair: found by the tomography, and again by the making of the gate. */
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
    description: 'Amplitude of a rotary tone on the target, which the echo of the gate turns back',
    bounds: { minimum: -1, maximum: 1 },
    role: 'control',
  },
  zx_rotation_rate: {
    unit: 'GHz',
    valueType: 'float',
    description: 'Rate at which the target turns about x, one way or the other as the control is',
    bounds: { minimum: 0, exclusiveMinimum: true, maximum: 0.1 },
    role: 'coupling',
  },
};

/** A value of the pair as an input. It is kept with the coupling, whatever it is about. */
function pairInput({ role: _role, ...value }: TaskOutput): TaskInput {
  return { ...value, required: true, from: 'coupling' };
}

/** What CheckCrossResonance and CreateZX90 found of the pair, as inputs of the tasks that play the gate. */
const crossResonanceInputs: Inputs = Object.fromEntries(
  Object.entries(crossResonanceOutputs).map(([name, value]) => [name, pairInput(value)]),
);

/** What every task reads that plays the calibrated gate. */
export const gateInputs: Inputs = { ...pairInputs, ...crossResonanceInputs };

/** Length of the calibrated gate: what its making finds, and the coherence limit reads. */
export const gateTimeOutput: TaskOutput = {
  unit: 'ns',
  valueType: 'float',
  description: 'Length of the echoed ZX90 gate',
  bounds: { minimum: 0, exclusiveMinimum: true, maximum: 100_000 },
  role: 'coupling',
};
export const gateTimeInput = pairInput(gateTimeOutput);

/**
 * How a chip declares that a pair has a flux line: with this value of the coupling, which nobody measures. Pairs without
 * it are refused before hardware, naming it.
 */
const fluxLine: Inputs = {
  flux_pulse_limit: {
    unit: 'a.u.',
    valueType: 'float',
    description:
      'Largest amplitude that pulses on the flux line of the pair may have; set it for pairs that have such a line',
    required: true,
    from: 'coupling',
    bounds: pulseAmplitudeLimits,
  },
};

/** What every task reads that plays flux pulses on a pair: both qubits with their pi/2 pulses, and the line. */
export const fluxPairInputs: Inputs = {
  ...inputsOf('control', dragHpiInputs),
  ...inputsOf('target', dragHpiInputs),
  ...fluxLine,
};

/** The flux pulse that is a CZ gate. */
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
    description: 'Length of the flux pulse after which |11> is back with its sign turned',
    bounds: { minimum: 0, exclusiveMinimum: true, maximum: 10_000 },
    role: 'coupling',
  },
} as const satisfies Readonly<Record<string, TaskOutput>>;

/** Phases that the gate turns each qubit by while the other is in its ground state: later pulses take them back. */
export const czPhaseOutputs: Readonly<Record<string, TaskOutput>> = Object.fromEntries(
  (['control', 'target'] as const).map((side) => [
    `cz_${side}_phase`,
    {
      unit: 'a.u.',
      valueType: 'float',
      description: `Phase that the CZ gate turns the ${side} by while the other qubit is in its ground state, in radians`,
      bounds: phaseLimits,
      role: side,
    },
  ]),
);

function pairInputsOf(outputs: Readonly<Record<string, TaskOutput>>): Inputs {
  return Object.fromEntries(Object.entries(outputs).map(([name, value]) => [name, pairInput(value)]));
}

/** What every task reads that plays the CZ pulse, and one that takes its phases back. */
export const czPulseInputs: Inputs = {
  ...fluxPairInputs,
  ...pairInputsOf(czPulseOutputs),
  cz_flux_amplitude: { ...pairInput(czPulseOutputs.cz_flux_amplitude), limitedBy: 'flux_pulse_limit' },
};
export const czGateInputs: Inputs = { ...czPulseInputs, ...pairInputsOf(czPhaseOutputs) };
