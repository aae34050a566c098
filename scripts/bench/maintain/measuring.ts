import type { EndedCheck } from '../../../shared/domain/maintenance/state-rules.ts';
import type { Dataset } from '../../../shared/science/datasets/model.ts';
import { randomFrom } from '../../../shared/science/device/random.ts';
import { analyse } from '../../../shared/tasks/analyses.ts';
import { judgeCheck } from '../../../shared/tasks/check-judging.ts';
import type { CheckSubject } from '../../../shared/tasks/check-model.ts';
import { planCheck } from '../../../shared/tasks/check-planning.ts';
import { checkOf } from '../../../shared/tasks/checks.ts';
import { gate } from '../../../shared/tasks/gates.ts';
import { runOfNextPass } from '../../../shared/tasks/measuring-again.ts';
import type { ResolvedParameters } from '../../../shared/tasks/model.ts';
import { resolveRunParameters } from '../../../shared/tasks/run-parameters.ts';
import { qubitSimulation } from '../../../shared/tasks/simulations.ts';
import { inputsOf, taskOf } from '../honesty/believed.ts';
import type { BenchChip } from './chip.ts';

/** Seconds of a shot if the task does not say how often it measures. */
const SHOT_SECONDS = 150e-6;
const NS_PER_SECOND = 1e9;

export interface Place {
  task: string;
  qid: string;
  hour: number;
}

/** What is stored of a qubit. */
export type Stored = Readonly<Record<string, number>>;

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

function measured(chip: BenchChip, { task, qid, hour }: Place, stored: Stored, run: ResolvedParameters) {
  const simulation = qubitSimulation(task);
  if (simulation === undefined) throw new Error(`${task} is not simulated.`);
  const qubit = chip.truth(qid, hour);
  return simulation.measure({
    ...{ qid, qubit, inputs: inputsOf(taskOf(task), stored), run },
    muxMates: () => chip.mates(qid).map((mate) => (mate === qid ? qubit : chip.truth(mate, hour))),
    neighbours: () => [],
    noise: randomFrom(chip.seed, qid, task, hour, JSON.stringify(run['shots'] ?? '')),
  });
}

/** Runs a task as a run would: data of the simulated device, analysis and gates. */
export function calibrate(chip: BenchChip, place: Place, stored: Stored): Calibrated {
  const task = taskOf(place.task);
  const { parameters: run } = resolveRunParameters(task, []);
  const dataset = measured(chip, place, stored, run);
  const seconds = secondsOf(dataset, run);
  const analysis = analyse({
    task,
    qid: place.qid,
    dataset,
    inputs: inputsOf(task, stored),
    runParameters: run,
  });
  const refusal = gate(task, analysis);
  if (refusal !== null) return { ok: false, message: refusal.message, seconds };
  const outputs = Object.entries(analysis.outputs).flatMap(([name, { value, error }]) =>
    typeof value === 'number' ? [[name, { value, error: error ?? null }] as const] : [],
  );
  return { ok: true, outputs: Object.fromEntries(outputs), seconds };
}

/** Whether a task has a check form. */
export function hasCheck(task: string): boolean {
  return checkOf(task) !== undefined;
}

/** Checks stored values with the task's check form. */
export function check(
  chip: BenchChip,
  place: Place,
  { stored, tolerances }: { stored: Stored; tolerances: CheckSubject['tolerances'] },
): Pick<EndedCheck, 'outcome' | 'reason' | 'found'> & { seconds: number } {
  const task = taskOf(place.task);
  const form = checkOf(place.task);
  if (form === undefined) throw new Error(`${place.task} has no check.`);
  const { parameters: whole } = resolveRunParameters(task, []);
  const inputs = inputsOf(task, stored);
  const plan = planCheck(form, {
    ...{ run: whole, inputs, values: stored },
    ...(tolerances && { tolerances }),
  });
  if (typeof plan === 'string') return { outcome: 'bad_data', reason: plan, seconds: 0, found: {} };
  const run = runOfNextPass(whole, plan);
  const dataset = measured(chip, place, stored, run);
  const analysis = analyse({ task, qid: place.qid, dataset, inputs, runParameters: run });
  const threshold = analysis.r2Threshold;
  const judged = threshold === undefined ? task : { ...task, r2Threshold: threshold };
  const { outcome, reason, findings } = judgeCheck(judged, plan, analysis);
  const found = Object.fromEntries(
    Object.entries(findings).map(([name, { found, error }]) => [name, { value: found, error }]),
  );
  return { outcome, reason, found, seconds: secondsOf(dataset, run) };
}
