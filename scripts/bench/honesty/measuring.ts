import type { Dataset } from '../../../shared/science/datasets/model.ts';
import { muxOf, trueQubit } from '../../../shared/science/device/device.ts';
import { truePair } from '../../../shared/science/device/pair-device.ts';
import { randomFrom } from '../../../shared/science/device/random.ts';
import { wrapped } from '../../../shared/science/fitting/phases.ts';
import { analyse } from '../../../shared/tasks/analyses.ts';
import type { Analysis } from '../../../shared/tasks/common/analysis/model.ts';
import { gate } from '../../../shared/tasks/gates.ts';
import type { ResolvedParameters } from '../../../shared/tasks/model.ts';
import { MAX_PASSES, runOfNextPass } from '../../../shared/tasks/next-pass.ts';
import { resolveRunParameters } from '../../../shared/tasks/run-parameters.ts';
import { qubitSimulation } from '../../../shared/tasks/simulations.ts';
import { AT, type Measurement, QUBITS, runOf, withShots } from './measurement.ts';
import type { Inputs, Kind, MeasureOnce, QubitKind, Trial, Verdict } from './model.ts';
import { pairMeasurement } from './pair-measuring.ts';
import { inputsOf, isFine, storedOf, taskOf, withFineFrequency } from './stored-values.ts';

/** Maximum deviation of an accepted value from the truth, in standard errors. Beyond it, the value counts as false. */
const FALSE_BEYOND = 5;

/** Measures one trial; `part` is the fraction of the shots in a mixture. */
function measureOnce(kind: QubitKind, trial: Trial, inputs: Inputs): MeasureOnce {
  const simulation = qubitSimulation(kind.task);
  if (simulation === undefined) throw new Error(`${kind.task} is not simulated.`);
  const { later } = kind;
  return ({ qubit = trial.qubit, shotsPart = 1 } = {}) =>
    simulation.measure({
      qid: trial.qid,
      qubit,
      muxMates: () => trial.mates,
      neighbours: () => trial.neighbours,
      ...(later === undefined ? {} : { later: (seconds: number) => later(trial, seconds) }),
      inputs,
      run: withShots(trial.run, shotsPart),
      noise: trial.random,
    });
}

function qubitMeasurement(kind: QubitKind, seed: string): Measurement {
  const random = randomFrom(seed, kind.name);
  const task = taskOf(kind.task);
  const qid = String(Math.floor(random.between(0, QUBITS)));
  const usual = trueQubit(seed, qid, AT);
  const qubit = kind.device?.(usual, random) ?? usual;
  const { qids } = muxOf(qid);
  // All qubits share the line, including the changes by the kind.
  const { lineDelayNs, linePhase } = qubit;
  const mates = qids.map((mate) =>
    mate === qid ? qubit : { ...trueQubit(seed, mate, AT), lineDelayNs, linePhase },
  );
  const neighbours = qids.flatMap((other, place) => {
    const mate = mates[place];
    return other === qid || mate === undefined
      ? []
      : [truePair(seed, { control: other, target: qid }, mate, qubit)];
  });
  const fine = randomFrom(seed, kind.name, 'fine tuning');
  const plain = storedOf(qubit, random, fine, randomFrom(seed, kind.name, 'map'));
  const known = isFine(task) ? withFineFrequency(plain, qubit, fine) : plain;
  const stored = kind.changeStored?.(known, { qubit, random }) ?? known;
  const inputs = inputsOf(task, stored);
  const { parameters: run } = resolveRunParameters(task, [runOf(kind, random)]);
  const trial: Trial = { qid, qubit, mates, neighbours, stored, run, random };
  return {
    task,
    target: qid,
    run,
    inputs,
    measure(settings) {
      const now = { ...trial, run: settings };
      const once = measureOnce(kind, now, inputs);
      const dataset = kind.measure?.(once, now) ?? once();
      kind.spoil?.(dataset, random);
      return dataset;
    },
    truths: (last, found) => kind.truths({ ...trial, ...last }, found),
  };
}

/** Makes and analyses the measurement of a kind for a seed. */
export function judge(kind: Kind, seed: string): Verdict {
  const measurement = measurementOf(kind, seed);
  return verdictOn(kind, { seed, measurement, measured: measureAndAnalyse(measurement) });
}

/** The same for a kind whose data are sent before they are analysed. */
export async function judgeSent(kind: Kind, seed: string): Promise<Verdict> {
  const { send } = kind;
  if (send === undefined) return judge(kind, seed);
  const measurement = measurementOf(kind, seed);
  const random = randomFrom(seed, kind.name, 'sending');
  const passes = passesOf(measurement);
  let step = passes.next();
  while (!step.done) step = passes.next(await send(step.value, random));
  return verdictOn(kind, { seed, measurement, measured: step.value });
}

/** The measurement of a kind for a seed. */
export function measurementOf(kind: Kind, seed: string): Measurement {
  return kind.of === 'pair' ? pairMeasurement(kind, seed) : qubitMeasurement(kind, seed);
}

function verdictOn(
  kind: Kind,
  { seed, measurement, measured }: { seed: string; measurement: Measurement; measured: Measured },
): Verdict {
  const { analysis, refusal, ...last } = measured;
  const verdict = { kind: kind.name, seed, message: refusal?.message ?? null };
  if (refusal !== null) return { ...verdict, outcome: 'refused', pulls: {} };
  const truths = measurement.truths(last, analysis.outputs);
  const pulls = Object.fromEntries(
    Object.entries(truths).flatMap(([name, truth]) => {
      const found = analysis.outputs[name];
      return found === undefined ? [] : [[name, pullOf(name, found, truth)]];
    }),
  );
  const wrong = Object.values(pulls).some((pull) => !(Math.abs(pull) <= FALSE_BEYOND));
  return { ...verdict, outcome: wrong ? 'false' : 'accepted', pulls };
}

/**
 * Deviation from the truth in standard errors. A value without an error must be exact. Phases (radians) and angles
 * (degrees) count modulo a turn.
 */
function pullOf(name: string, { value, error }: { value: number; error: number }, truth: number): number {
  const perRadian = name.endsWith('_phase') ? 1 : name.endsWith('_angle') ? 180 / Math.PI : null;
  const off = perRadian === null ? value - truth : perRadian * wrapped((value - truth) / perRadian);
  return off === 0 ? 0 : off / error;
}

/** The last pass of a measurement, and the reason for its refusal if it was refused. */
interface Measured {
  analysis: Analysis;
  run: ResolvedParameters;
  dataset: Dataset;
  refusal: ReturnType<typeof gate>;
}

/** Measures, and repeats the measurement if the analysis requests other settings. */
export function measureAndAnalyse(measurement: Omit<Measurement, 'truths'>): Measured {
  const passes = passesOf(measurement);
  let step = passes.next();
  while (!step.done) step = passes.next(step.value);
  return step.value;
}

/** For each pass of a measurement: receives the data, and returns the data that are analysed. */
function* passesOf({
  task,
  target,
  inputs,
  measure,
  run: first,
}: Omit<Measurement, 'truths'>): Generator<Dataset, Measured, Dataset> {
  let run = first;
  for (let pass = 1; ; pass++) {
    const dataset = yield measure(run);
    const analysis = analyse({ task, qid: target, dataset, inputs, runParameters: run });
    const refusal = gate(task, analysis);
    if (refusal === null || analysis.again === undefined || pass === MAX_PASSES) {
      return { analysis, run, dataset, refusal };
    }
    run = runOfNextPass(run, analysis.again);
  }
}
