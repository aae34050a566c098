import { expect } from 'vitest';
import { createSimulator } from '../../../activities/backends/simulator/simulator.ts';
import { zx90GateTime, zx90HalfLength } from '../../../shared/science/conventions/cross-resonance.ts';
import { echoedRotation, precession } from '../../../shared/science/device/cross-resonance.ts';
import { staticZz, type TruePair } from '../../../shared/science/device/pair-device.ts';
import { randomFrom } from '../../../shared/science/device/random.ts';
import { inSequence, polarisationAfter } from '../../../shared/science/quantum/rotations.ts';
import { bellFidelity } from '../../../shared/tasks/bell-state/pair-state.ts';
import { madeBellState } from '../../../shared/tasks/bell-state/simulation.ts';
import type { PairExperiment } from '../../../shared/tasks/common/simulation/model.ts';
import {
  loadedDrive,
  pairExperiment,
  scaledDrive,
} from '../../../shared/tasks/common/simulation/pair-experiment.ts';
import { keptByGate, playedZx90 } from '../../../shared/tasks/common/simulation/zx90-gate.ts';
import { at } from '../../support/measured.ts';
import type { measurePair } from '../../support/pairs.ts';

type MeasuredPair = Awaited<ReturnType<typeof measurePair>>;

function experimentOf({ qid, inputs, runParameters }: MeasuredPair, seed: string): PairExperiment {
  const qubitOf = (id: string) => createSimulator({ seed }).truth('chip', id, at);
  return pairExperiment(seed, qid, qubitOf, { inputs, run: runParameters, noise: randomFrom(seed) });
}

const numberIn = ({ inputs }: MeasuredPair, name: string): number => {
  const value = inputs[name]?.value;
  return typeof value === 'number' ? value : expect.fail(`no ${name}`);
};

/** Phase, cancel tone and rate that make a pure ZX of a tone of this amplitude. */
function perfectTones(pair: TruePair, amplitude: number, frequency: number) {
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

/** Amplitude at which the signals after one gate and after three meet, by bisection. */
function meetingAmplitude(measured: MeasuredPair, seed: string): number {
  const experiment = experimentOf(measured, seed);
  const half = zx90HalfLength(numberIn(measured, 'zx_rotation_rate'));
  const gateTime = zx90GateTime(half, numberIn(measured, 'control_drag_hpi_length'));
  const drive = loadedDrive(experiment);
  const difference = (factor: number) => {
    const played = scaledDrive(drive, factor);
    const gate = echoedRotation(experiment.pair, played, half, 0);
    const kept = keptByGate(experiment, gateTime, played.amplitude);
    return kept * polarisationAfter(gate) - kept ** 3 * polarisationAfter(inSequence([gate, gate, gate]));
  };
  let [low, high] = [0.6, 0.98];
  for (let step = 0; step < 50; step++) {
    const middle = (low + high) / 2;
    if (difference(middle) > 0) low = middle;
    else high = middle;
  }
  return low * drive.amplitude;
}

/** What the outputs of a coupling task would be without any noise, as far as they are estimates. */
export function trueOutputs(
  measured: MeasuredPair,
  seed: string,
  found: Readonly<Record<string, { value: number }>>,
): Record<string, number> {
  const experiment = experimentOf(measured, seed);
  switch (measured.task.name) {
    case 'CheckStaticZZ':
      return { static_zz_interaction: staticZz(experiment.pair) };
    case 'CheckCrossResonance':
      return perfectTones(
        experiment.pair,
        found.cr_amplitude?.value ?? Number.NaN,
        numberIn(measured, 'target_qubit_frequency'),
      );
    case 'CreateZX90':
      return { cr_amplitude: meetingAmplitude(measured, seed) };
    case 'CheckBellStateTomography':
      return { bell_state_fidelity: bellFidelity(madeBellState(experiment)) };
    case 'ZX90InterleavedRandomizedBenchmarking':
      return { zx90_gate_fidelity: 1 - playedZx90(experiment).error };
    default:
      return {};
  }
}
