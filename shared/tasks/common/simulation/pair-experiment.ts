import { DRAG_PULSES } from '../../../science/conventions/drag.ts';
import type { CrossResonanceDrive } from '../../../science/device/cross-resonance.ts';
import type { TrueQubit } from '../../../science/device/device.ts';
import type { DragPulse } from '../../../science/device/drag-pulses.ts';
import { dragAmplitude, idealBeta } from '../../../science/device/drag-pulses.ts';
import { truePair } from '../../../science/device/pair-device.ts';
import { couplingEnds } from '../../coupling-roles.ts';
import type { ResolvedParameters } from '../../model.ts';
import type { Experiment, PairExperiment } from './model.ts';
import { requireNumber } from './parameters.ts';

/**
 * @param qubitOf the hidden device
 * @throws if `qid` does not name a pair of qubits
 */
export function pairExperiment(
  seed: string,
  qid: string,
  qubitOf: (qid: string) => TrueQubit,
  { inputs, run, noise }: Pick<Experiment, 'inputs' | 'run' | 'noise'>,
): PairExperiment {
  const ends = couplingEnds(qid);
  if (ends === null) throw new Error(`The simulated chip has no coupling "${qid}".`);
  const pair = truePair(seed, ends, resetBefore(qubitOf(ends.control)), resetBefore(qubitOf(ends.target)));
  const side = (role: 'control' | 'target'): Experiment => ({
    qid: ends[role],
    qubit: pair[role],
    muxMates: () => [pair[role]],
    neighbours: () => [],
    inputs: inputsOf(role, inputs, pair[role]),
    run,
    noise,
  });
  return { pair, control: side('control'), target: side('target'), inputs, run, noise };
}

/** Both qubits are read before each shot, and only shots that start in the ground state are kept. */
function resetBefore(qubit: TrueQubit): TrueQubit {
  return { ...qubit, thermalPopulation: 0 };
}

/** The inputs of one qubit under the names of one-qubit tasks. If no pulse is given, the instrument uses its own. */
function inputsOf(
  role: 'control' | 'target',
  inputs: ResolvedParameters,
  qubit: TrueQubit,
): ResolvedParameters {
  const own = Object.entries(ownPulse(qubit)).map(([name, value]) => [
    `drag_hpi_${name}`,
    { value, value_type: 'float', unit: '' },
  ]);
  const given = Object.entries(inputs).flatMap(([name, value]) =>
    name.startsWith(`${role}_`) ? [[name.slice(role.length + 1), value]] : [],
  );
  return Object.fromEntries([...own, ...given]);
}

function ownPulse(qubit: TrueQubit): Record<'amplitude' | 'length' | 'beta', number> {
  const { amplitude, lengthNs, beta }: Omit<DragPulse, 'frequency'> = {
    amplitude: dragAmplitude(qubit, Math.PI / 2, DRAG_PULSES.drag_hpi.lengthNs),
    lengthNs: DRAG_PULSES.drag_hpi.lengthNs,
    beta: idealBeta(qubit),
  };
  return { amplitude, length: lengthNs, beta };
}

/** The tones of the calibrated pulse with the parameters that a task loaded, accurate or not. */
export function loadedDrive({ inputs, target }: PairExperiment): CrossResonanceDrive {
  return {
    amplitude: requireNumber(inputs, 'cr_amplitude'),
    phase: requireNumber(inputs, 'cr_phase'),
    cancelAmplitude: requireNumber(inputs, 'cancel_amplitude'),
    cancelPhase: requireNumber(inputs, 'cancel_phase'),
    rotaryAmplitude: requireNumber(inputs, 'rotary_amplitude'),
    frequency: requireNumber(target.inputs, 'qubit_frequency'),
  };
}

/** The same tones at another amplitude; the cancel tone is scaled with the drive. */
export function scaledDrive(drive: CrossResonanceDrive, factor: number): CrossResonanceDrive {
  return {
    ...drive,
    amplitude: drive.amplitude * factor,
    cancelAmplitude: drive.cancelAmplitude * factor,
  };
}
