import { zx90GateTime, zx90Plan } from '../../../../shared/science/conventions/cross-resonance.ts';
import { echoedRotation, precession } from '../../../../shared/science/device/cross-resonance.ts';
import { staticZz, type TruePair } from '../../../../shared/science/device/pair-device.ts';
import { inSequence, polarisationAfter } from '../../../../shared/science/quantum/rotations.ts';
import { bellFidelity } from '../../../../shared/tasks/bell-state/pair-state.ts';
import { madeBellState } from '../../../../shared/tasks/bell-state/simulation.ts';
import { loadedPulse } from '../../../../shared/tasks/common/simulation/drag-experiment.ts';
import type { PairExperiment } from '../../../../shared/tasks/common/simulation/model.ts';
import { loadedDrive, scaledDrive } from '../../../../shared/tasks/common/simulation/pair-experiment.ts';
import { requireNumber } from '../../../../shared/tasks/common/simulation/parameters.ts';
import { keptByGate, playedZx90 } from '../../../../shared/tasks/common/simulation/zx90-gate.ts';
import type { PairTruths, Values } from '../model.ts';
import { signChange } from './pulses.ts';

/** Phase, cancel tone and rate of a pure ZX interaction by a tone of this amplitude. */
export function perfectTones(pair: TruePair, amplitude: number, frequency: number) {
  const bare = { amplitude, phase: 0, cancelAmplitude: 0, cancelPhase: 0, rotaryAmplitude: 0, frequency };
  const [ground, excited] = [precession(pair, bare, 0), precession(pair, bare, 1)];
  const [zx, zy] = [(ground.x - excited.x) / 2, (ground.y - excited.y) / 2];
  const [ix, iy] = [(ground.x + excited.x) / 2, (ground.y + excited.y) / 2];
  const phase = -Math.atan2(zy, zx);
  return {
    cr_phase: phase,
    cancel_amplitude: Math.hypot(ix, iy) / pair.target.maximumRabiFrequency,
    cancel_phase: Math.atan2(iy, ix) + Math.PI + phase,
    zx_rotation_rate: Math.hypot(zx, zy),
  };
}

/** Fraction of the tomography's amplitude at which the signals after one gate and after three gates are equal. */
function meetingFactor(experiment: PairExperiment): number {
  const { halfLengthNs: half, sweep } = zx90Plan(requireNumber(experiment.inputs, 'zx_rotation_rate'));
  const gateTime = zx90GateTime(half, loadedPulse(experiment.control, 'drag_hpi').lengthNs);
  const drive = loadedDrive(experiment);
  const [from, to] = sweep.to > 1 ? [sweep.from, sweep.to] : [0.6, 0.98];
  return signChange(from, to, (factor) => {
    const played = scaledDrive(drive, factor);
    const gate = echoedRotation(experiment.pair, played, half, 0);
    const kept = keptByGate(experiment, gateTime, played.amplitude);
    return kept * polarisationAfter(gate) - kept ** 3 * polarisationAfter(inSequence([gate, gate, gate]));
  });
}

/** The gate found by an ideal creation. */
export function perfectGate(experiment: PairExperiment): { cr_amplitude: number; cancel_amplitude: number } {
  const { amplitude, cancelAmplitude } = scaledDrive(loadedDrive(experiment), meetingFactor(experiment));
  return { cr_amplitude: amplitude, cancel_amplitude: cancelAmplitude };
}

export const pair = {
  zz: (experiment) => ({ static_zz_interaction: staticZz(experiment.pair) }),
  crossResonance: ({ pair: of, target }, found): Values =>
    perfectTones(
      of,
      found.cr_amplitude?.value ?? Number.NaN,
      requireNumber(target.inputs, 'qubit_frequency'),
    ),
  creation: perfectGate,
  bell: (experiment) => ({ bell_state_fidelity: bellFidelity(madeBellState(experiment)) }),
  benchmarking: (experiment) => {
    const { error } = playedZx90(experiment);
    return { zx90_gate_fidelity: 1 - error, zx90_depolarizing_rate: (4 / 3) * error };
  },
  rotation: (experiment) => {
    const { w, x, y, z } = playedZx90(experiment).rotations[0];
    return { zx90_rotation_error: (4 * Math.atan2(Math.hypot(x, y, z), w)) / Math.PI - 1 };
  },
  nothing: () => ({}),
} satisfies Record<string, PairTruths>;
