import { TARGET_RABI_FREQUENCY_GHZ } from '../../../shared/science/conventions/pulse.ts';
import type { Dataset } from '../../../shared/science/datasets/model.ts';
import { muxOf, type TrueQubit, trueQubit } from '../../../shared/science/device/device.ts';
import { dragAmplitude, idealBeta } from '../../../shared/science/device/drag-pulses.ts';
import { type Random, randomFrom } from '../../../shared/science/device/random.ts';
import { analyse } from '../../../shared/tasks/analyses.ts';
import { findTask } from '../../../shared/tasks/catalog.ts';
import type { Analysis } from '../../../shared/tasks/common/analysis/model.ts';
import { gate } from '../../../shared/tasks/gates.ts';
import { MOST_PASSES, runOfNextPass } from '../../../shared/tasks/measuring-again.ts';
import type { ResolvedParameters, TaskDefinition } from '../../../shared/tasks/model.ts';
import { resolveRunParameters } from '../../../shared/tasks/run-parameters.ts';
import { qubitSimulation } from '../../../shared/tasks/simulations.ts';
import type { Believed, Inputs, Kind, MeasureOnce, Trial, Verdict } from './model.ts';

/** A moment at which the device's drift stands still. */
const AT = new Date('2026-03-01T00:00:00Z');
const QUBITS = 16;
/** What is accepted and lies further from the truth, in standard errors, is false. */
const FALSE_BEYOND = 5;

/** Values as earlier tasks leave them: the truth with a small error. */
function believedOf(qubit: TrueQubit, random: Random): Believed {
  const about = (value: number, deviation: number) =>
    value * (1 + deviation * Math.min(2, Math.max(-2, random.normal())));
  const control = TARGET_RABI_FREQUENCY_GHZ / qubit.maximumRabiFrequency;
  const hpi = 0.25 / (qubit.maximumRabiFrequency * (32 - qubit.rampNs));
  return {
    qubit_frequency: qubit.f01 + random.between(-0.2e-3, 0.2e-3),
    coarse_qubit_frequency: qubit.f01 + random.between(-1e-3, 1e-3),
    control_amplitude: about(control, 0.03),
    coarse_control_amplitude: about(control, 0.2),
    readout_frequency: qubit.readoutFrequency + random.between(-0.06, 0.06) * qubit.kappa,
    readout_amplitude: about(qubit.readoutAmplitude, 0.03),
    readout_length: qubit.readoutLengthNs,
    hpi_amplitude: about(hpi, 0.005),
    hpi_length: 32,
    pi_amplitude: about(2 * hpi, 0.005),
    pi_length: 32,
    drag_hpi_amplitude: dragAmplitude(qubit, Math.PI / 2, 16),
    drag_hpi_length: 16,
    drag_hpi_beta: idealBeta(qubit),
    drag_pi_amplitude: dragAmplitude(qubit, Math.PI, 24),
    drag_pi_length: 24,
    drag_pi_beta: idealBeta(qubit),
  };
}

function inputsOf(task: TaskDefinition, believed: Believed): Inputs {
  return Object.fromEntries(
    Object.entries(task.inputs).flatMap(([name, { unit, valueType, fallback }]) => {
      const value = believed[name] ?? fallback;
      return value === undefined ? [] : [[name, { value, unit, value_type: valueType, error: null }]];
    }),
  );
}

/** Measures one trial; a part of the shots is that of a mixture. */
function measureOnce(task: TaskDefinition, trial: Trial, inputs: Inputs): MeasureOnce {
  const simulation = qubitSimulation(task.name);
  if (simulation === undefined) throw new Error(`${task.name} is not simulated.`);
  return ({ qubit = trial.qubit, shotsPart = 1 } = {}) => {
    const { shots } = trial.run;
    const run =
      typeof shots?.value === 'number'
        ? { ...trial.run, shots: { ...shots, value: Math.max(1, shots.value * shotsPart) } }
        : trial.run;
    return simulation.measure({
      qid: trial.qid,
      qubit,
      muxMates: () => trial.mates,
      neighbours: () => [],
      inputs,
      run,
      noise: trial.random,
    });
  };
}

/** Makes and analyses the measurement of a kind that belongs to a seed. */
export function judge(kind: Kind, seed: string): Verdict {
  const random = randomFrom(seed, kind.name);
  const task = findTask(kind.task);
  if (task === undefined) throw new Error(`There is no task ${kind.task}.`);
  const qid = String(Math.floor(random.between(0, QUBITS)));
  const usual = trueQubit(seed, qid, AT);
  const qubit = kind.device?.(usual, random) ?? usual;
  const mates = muxOf(qid).qids.map((mate) => (mate === qid ? qubit : trueQubit(seed, mate, AT)));
  const plain = believedOf(qubit, random);
  const believed = kind.believe?.(plain, { qubit, random }) ?? plain;
  const { parameters: run } = resolveRunParameters(task, [kind.run ?? {}]);
  const trial: Trial = { qid, qubit, mates, believed, run, random };
  const { analysis, runParameters } = measureAndAnalyse(kind, task, trial);
  const refusal = gate(task, analysis);
  const verdict = { kind: kind.name, seed, message: refusal?.message ?? null };
  if (refusal !== null) return { ...verdict, outcome: 'refused', pulls: {} };
  const truths = kind.truths({ ...trial, run: runParameters }, analysis.outputs);
  const pulls = Object.fromEntries(
    Object.entries(truths).flatMap(([name, truth]) => {
      const found = analysis.outputs[name];
      return found === undefined ? [] : [[name, (found.value - truth) / found.error]];
    }),
  );
  const wrong = Object.values(pulls).some((pull) => !(Math.abs(pull) <= FALSE_BEYOND));
  return { ...verdict, outcome: wrong ? 'false' : 'accepted', pulls };
}

function measureAndAnalyse(
  kind: Kind,
  task: TaskDefinition,
  trial: Trial,
): { analysis: Analysis; runParameters: ResolvedParameters } {
  const inputs = inputsOf(task, trial.believed);
  let { run } = trial;
  for (let pass = 1; ; pass++) {
    const now = { ...trial, run };
    const once = measureOnce(task, now, inputs);
    const dataset: Dataset = kind.measure?.(once, now) ?? once();
    kind.spoil?.(dataset, trial.random);
    const analysis = analyse({ task, qid: trial.qid, dataset, inputs, runParameters: run });
    if (gate(task, analysis) === null || analysis.again === undefined || pass === MOST_PASSES) {
      return { analysis, runParameters: run };
    }
    run = runOfNextPass(run, analysis.again);
  }
}
