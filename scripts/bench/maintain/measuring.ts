import type { EndedCheck } from '../../../shared/domain/maintenance/state-rules.ts';
import type { Dataset } from '../../../shared/science/datasets/model.ts';
import { type Random, randomFrom } from '../../../shared/science/device/random.ts';
import { analyse } from '../../../shared/tasks/analyses.ts';
import { judgeCheck } from '../../../shared/tasks/check-judging.ts';
import type { CheckSubject } from '../../../shared/tasks/check-model.ts';
import { planCheck } from '../../../shared/tasks/check-planning.ts';
import { checkOf } from '../../../shared/tasks/checks.ts';
import type { Analysis } from '../../../shared/tasks/common/analysis/model.ts';
import { gate } from '../../../shared/tasks/gates.ts';
import type { ResolvedParameters, TaskDefinition } from '../../../shared/tasks/model.ts';
import { MAX_PASSES, runOfNextPass } from '../../../shared/tasks/next-pass.ts';
import { areAlike, doubts, type FoundValue, type Known } from '../../../shared/tasks/plausibility.ts';
import { resolveRunParameters } from '../../../shared/tasks/run-parameters.ts';
import { qubitSimulation } from '../../../shared/tasks/simulations.ts';
import type { Inputs } from '../honesty/model.ts';
import { inputsOf, taskOf } from '../honesty/stored-values.ts';
import type { BenchChip } from './chip.ts';

/** Seconds of a shot if the task does not say how often it measures. */
const SHOT_SECONDS = 150e-6;
const NS_PER_SECOND = 1e9;

export interface Place {
  task: string;
  qid: string;
  hour: number;
}

/** What is stored of a qubit, with the error and the age of each value. */
export type Stored = Known;

/** Something to measure: inputs, run parameters, and which of up to three passes it is. */
export interface Request {
  inputs: Inputs;
  run: ResolvedParameters;
  pass: number;
}

/** What measures a task. */
export type Instrument = (place: Place, request: Request) => Dataset;

export type Calibrated =
  | { ok: true; outputs: Record<string, { value: number; error: number | null }>; seconds: number }
  | { ok: false; message: string; seconds: number };

/** The hardware time of a dataset: its points times their shots. */
function secondsOf({ variables }: Dataset, run: ResolvedParameters): number {
  const [shots, interval] = [run['shots']?.value, run['interval']?.value];
  const points = Object.entries(variables).reduce(
    (sum, [name, { values }]) => (name.endsWith('_re') ? sum + values.length : sum),
    0,
  );
  const period = typeof interval === 'number' ? interval / NS_PER_SECOND : SHOT_SECONDS;
  return points * (typeof shots === 'number' ? shots : 1) * period;
}

/** Measures a task on the device as it is then. @param noiseOf by which measurements differ that find the same device */
export function instrumentOf(
  chip: BenchChip,
  noiseOf: (place: Place, request: Request, purpose: 'noise' | 'jitter') => Random,
): Instrument {
  return (place, request) => {
    const { task, qid, hour } = place;
    const simulation = qubitSimulation(task);
    if (simulation === undefined) throw new Error(`${task} is not simulated.`);
    const usual = chip.truth(qid, hour);
    const qubit = simulation.jitter?.(usual, noiseOf(place, request, 'jitter')) ?? usual;
    return simulation.measure({
      qid,
      qubit,
      inputs: request.inputs,
      run: request.run,
      muxMates: () => chip.mates(qid).map((mate) => chip.truth(mate, hour)),
      neighbours: () => [],
      noise: noiseOf(place, request, 'noise'),
    });
  };
}

/** An instrument whose noise differs from measurement to measurement. */
export function noisyInstrument(chip: BenchChip): Instrument {
  return instrumentOf(chip, ({ qid, task, hour }, { run, pass }, purpose) =>
    randomFrom(
      ...[chip.seed, qid, task, hour, JSON.stringify(run['shots'] ?? '')],
      ...(pass > 1 ? [pass] : []),
      ...(purpose === 'noise' ? [] : [purpose]),
    ),
  );
}

/** The inputs of a task by what is stored. */
function inputsFrom(task: TaskDefinition, stored: Stored): Inputs {
  const values = Object.fromEntries(Object.entries(stored).map(([name, { value }]) => [name, value]));
  return Object.fromEntries(
    Object.entries(inputsOf(task, values)).map(([name, input]) => [
      name,
      { ...input, error: stored[name]?.error ?? null },
    ]),
  );
}

function judgedBy(task: TaskDefinition, { r2Threshold }: Analysis): TaskDefinition {
  return r2Threshold === undefined ? task : { ...task, r2Threshold };
}

/**
 * Runs a task as a run would: data of the simulated device, analysis and gates. It is measured again where its analysis asks
 * for other settings, and where a value jumped.
 * @param found what tasks found earlier, to which new values are compared
 */
export function calibrate(
  instrument: Instrument,
  place: Place,
  { stored, found: earlier }: { stored: Stored; found: Known },
): Calibrated {
  const task = taskOf(place.task);
  const inputs = inputsFrom(task, stored);
  let { parameters: run } = resolveRunParameters(task, []);
  let seconds = 0;
  let doubted: Record<string, FoundValue> | undefined;
  for (let pass = 1; ; pass++) {
    const dataset = instrument(place, { inputs, run, pass });
    seconds += secondsOf(dataset, run);
    const analysis = analyse({ task, qid: place.qid, dataset, inputs, runParameters: run });
    const refusal = gate(judgedBy(task, analysis), analysis);
    const isLast = pass === MAX_PASSES;
    if (refusal !== null) {
      if (analysis.again === undefined || isLast) return { ok: false, message: refusal.message, seconds };
      run = runOfNextPass(run, analysis.again);
      continue;
    }
    const outputs = Object.fromEntries(
      Object.entries(analysis.outputs).flatMap(([name, { value, error }]) =>
        typeof value === 'number' ? [[name, { value, error: error ?? null }] as const] : [],
      ),
    );
    const held = doubts(task.outputs, outputs, earlier);
    const isConfirmed = held.every(({ output }) => {
      const [value, before] = [outputs[output], doubted?.[output]];
      return value && before && areAlike(value, { ...before, hours: 0 }, task.outputs[output] ?? {});
    });
    if (isConfirmed) return { ok: true, outputs, seconds };
    const message = held.map((doubt) => doubt.message).join('; ');
    if (doubted !== undefined || isLast) return { ok: false, message, seconds };
    doubted = outputs;
  }
}

/** Whether a task has a check form. */
export function hasCheck(task: string): boolean {
  return checkOf(task) !== undefined;
}

/** Checks stored values with the task's check form. */
export function check(
  instrument: Instrument,
  place: Place,
  { stored, tolerances }: { stored: Stored; tolerances: CheckSubject['tolerances'] },
): Pick<EndedCheck, 'outcome' | 'reason' | 'found'> & { seconds: number } {
  const task = taskOf(place.task);
  const form = checkOf(place.task);
  if (form === undefined) throw new Error(`${place.task} has no check.`);
  const { parameters: whole } = resolveRunParameters(task, []);
  const inputs = inputsFrom(task, stored);
  const values = Object.fromEntries(Object.entries(stored).map(([name, { value }]) => [name, value]));
  const plan = planCheck(form, { run: whole, inputs, values, ...(tolerances && { tolerances }) });
  if (typeof plan === 'string') return { outcome: 'bad_data', reason: plan, seconds: 0, found: {} };
  const run = runOfNextPass(whole, plan);
  const dataset = instrument(place, { inputs, run, pass: 1 });
  const analysis = analyse({ task, qid: place.qid, dataset, inputs, runParameters: run });
  const { outcome, reason, findings } = judgeCheck(judgedBy(task, analysis), plan, analysis);
  const found = Object.fromEntries(
    Object.entries(findings).map(([name, { found, error }]) => [name, { value: found, error }]),
  );
  return { outcome, reason, found, seconds: secondsOf(dataset, run) };
}
