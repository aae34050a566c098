import { checkTasks, fineTuneTasks } from '../../../activities/flow-isolate/inside/task-lists.ts';
import { TARGET_RABI_FREQUENCY_GHZ } from '../../../shared/science/conventions/pulse.ts';
import { DEFAULT_READOUT } from '../../../shared/science/conventions/readout.ts';
import { muxOf, type TrueQubit, trueQubit } from '../../../shared/science/device/device.ts';
import { changedQubit } from '../../../shared/science/device/phenomena.ts';
import { type Random, randomFrom } from '../../../shared/science/device/random.ts';
import { bestReadoutOffset, type ReadoutSettings } from '../../../shared/science/device/readout.ts';
import { resolveRunParameters } from '../../../shared/tasks/run-parameters.ts';
import { qubitSimulation } from '../../../shared/tasks/simulations.ts';
import { AT, QUBITS } from './measurement.ts';
import { measureAndAnalyse } from './measuring.ts';
import type { StoredValues } from './model.ts';
import { inputsOf, taskOf } from './stored-values.ts';
import { reading } from './truths/single-shots.ts';

/** Devices that the simulator draws, and devices with a wide spread of resonators, couplings, noise and T1. */
export const READOUT_DEVICES = ['usual', 'wide'] as const;
export type ReadoutDevices = (typeof READOUT_DEVICES)[number];

/** Average readout fidelity of one calibrated qubit, and the best at any frequency, amplitude and threshold. */
export interface TunedReadout {
  devices: ReadoutDevices;
  seed: string;
  allowed: number;
  reached: number;
  /** The reason why a task was refused and the calibration ended; null if all tasks passed. */
  refused: string | null;
}

/** Stored values after a bring-up: the resonator's own frequency and a weak tone. */
function broughtUp(qubit: TrueQubit, random: Random): StoredValues {
  return {
    qubit_frequency: qubit.f01 + random.between(-0.2e-3, 0.2e-3),
    control_amplitude: (TARGET_RABI_FREQUENCY_GHZ / qubit.maximumRabiFrequency) * random.between(0.95, 1.05),
    readout_frequency: qubit.resonatorGround + random.between(-0.02, 0.02) * qubit.kappa,
    readout_amplitude: 10 ** (random.between(-35, -25) / 20),
    readout_length: DEFAULT_READOUT.lengthNs,
  };
}

/** All tasks of the full calibration of a qubit, up to the classification of its readout. */
const calibration = [...checkTasks.full, ...fineTuneTasks.full];
const untilJudged = calibration.slice(0, calibration.indexOf('ReadoutClassification'));

/** Calibrates one qubit like the full calibration, task by task on the simulated device. */
export function tuneReadout(devices: ReadoutDevices, seed: string): TunedReadout {
  const random = randomFrom(seed, 'tuned readout');
  const qid = String(Math.floor(random.between(0, QUBITS)));
  const mates = muxOf(qid).qids.map((mate) => {
    const usual = trueQubit(seed, mate, AT);
    if (devices === 'usual') return usual;
    const circumstances = { seed, qid: mate, at: AT, intervalNs: undefined, others: [] };
    return changedQubit(usual, [{ phenomenon: 'wide_spread', size: 1 }], circumstances);
  });
  const qubit = mates[muxOf(qid).qids.indexOf(qid)] ?? trueQubit(seed, qid, AT);
  let known = broughtUp(qubit, random);
  let refused: string | null = null;
  for (const name of untilJudged) {
    const task = taskOf(name);
    const simulation = qubitSimulation(name);
    if (simulation === undefined) continue;
    const inputs = inputsOf(task, known);
    const { analysis, refusal } = measureAndAnalyse({
      task,
      target: qid,
      inputs,
      run: resolveRunParameters(task, []).parameters,
      measure: (run) =>
        simulation.measure({
          qid,
          qubit,
          muxMates: () => mates,
          neighbours: () => [],
          inputs,
          run,
          noise: random,
        }),
    });
    if (refusal !== null && task.goesOnWhenRefused) continue;
    refused = refusal?.message ?? null;
    if (refused !== null) break;
    const found = Object.entries(analysis.outputs).map(([output, { value }]) => [output, value] as const);
    known = { ...known, ...Object.fromEntries(found) };
  }
  const tuned = {
    frequency: known.readout_frequency ?? Number.NaN,
    amplitude: known.readout_amplitude ?? Number.NaN,
    lengthNs: known.readout_length ?? Number.NaN,
    shots: 1,
  };
  return { devices, seed, allowed: bestOf(qubit, tuned), reached: fidelity(qubit, tuned, MIDWAY), refused };
}

/** Positions of the threshold between both states, in units of their distance. The classification uses the middle. */
const THRESHOLDS = [0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6];
const MIDWAY = 0.5;
/** The compared amplitudes, each larger than the previous one by a factor. */
const FINELY = 1.05;
const WEAKEST = 0.004;

/** Average fraction of correctly assigned shots of both states, if perfectly prepared. */
function fidelity(qubit: TrueQubit, settings: ReadoutSettings, threshold: number): number {
  const [ground, excited] = [0, 1].map((population) => reading(qubit, settings, population, threshold).one);
  return (1 - (ground ?? 0) + (excited ?? 0)) / 2;
}

/** The frequency of the largest contrast does not depend on the amplitude. */
function bestOf(qubit: TrueQubit, settings: ReadoutSettings): number {
  const frequency = qubit.readoutFrequency + bestReadoutOffset(qubit);
  const count = Math.floor(Math.log(1 / WEAKEST) / Math.log(FINELY));
  const amplitudes = Array.from({ length: count }, (_, step) => WEAKEST * FINELY ** step);
  return Math.max(
    ...amplitudes.flatMap((amplitude) =>
      THRESHOLDS.map((threshold) => fidelity(qubit, { ...settings, frequency, amplitude }, threshold)),
    ),
  );
}
