import type { Dataset } from '../../../shared/science/datasets/model.ts';
import { muxOf, type TrueQubit, trueQubit } from '../../../shared/science/device/device.ts';
import { type Random, randomFrom } from '../../../shared/science/device/random.ts';
import { analyse } from '../../../shared/tasks/analyses.ts';
import { judgeCheck } from '../../../shared/tasks/check-judging.ts';
import type { CheckForm, CheckVerdict } from '../../../shared/tasks/check-model.ts';
import { planCheck } from '../../../shared/tasks/check-planning.ts';
import { checkOf } from '../../../shared/tasks/checks.ts';
import { runOfNextPass } from '../../../shared/tasks/measuring-again.ts';
import type { ResolvedParameters } from '../../../shared/tasks/model.ts';
import { resolveRunParameters } from '../../../shared/tasks/run-parameters.ts';
import { qubitSimulation } from '../../../shared/tasks/simulations.ts';
import { believedOf, inputsOf, isFine, taskOf, withFineFrequency } from './believed.ts';
import { kinds } from './kinds.ts';
import { AT, QUBITS } from './measurement.ts';
import type { Believed, Kind, QubitKind, Trial, Values } from './model.ts';

/** Whether the device is within the tolerances, or far enough beyond one of them that the check must see it. */
export type DeviceState = 'within' | 'beyond';

/** What became of one check. */
export interface CheckedTrial {
  kind: string;
  state: DeviceState;
  seed: string;
  outcome: CheckVerdict['outcome'] | 'not planned';
  reason: string;
  /** Part of the hardware time of the whole task. */
  part: number;
}

/** Where values lie that are beyond, in tolerances. */
const BEYOND = { from: 1.5, to: 4 } as const;
/** No value falls below this part of what it was. */
const LEAST_PART = 0.2;

/** The kinds of measurements whose tasks have a check form: on healthy devices, and on those that are not ideal. */
export const checkedKinds: readonly QubitKind[] = kinds.filter(
  (kind): kind is QubitKind =>
    kind.of !== 'pair' &&
    checkOf(kind.task) !== undefined &&
    (kind.group === 'healthy' || kind.group === 'imperfect') &&
    // The check chooses its own sweep, and data that are made in another way have another one.
    kind.run === undefined &&
    kind.measure === undefined,
);

/** How far each tested value is off, in tolerances. */
function shiftsOf({ tests }: CheckForm, state: DeviceState, random: Random): Record<string, number> {
  const names = Object.keys(tests);
  const shifts = Object.fromEntries(names.map((name) => [name, random.between(-1, 1)]));
  if (state === 'within') return shifts;
  const far = names[Math.floor(random.between(0, names.length))] ?? '';
  const size = BEYOND.from * (BEYOND.to / BEYOND.from) ** random.uniform();
  return { ...shifts, [far]: random.uniform() < 0.5 ? size : -size };
}

/** The amplitudes that rotation errors are those of. */
const AMPLITUDES: Readonly<Record<string, string>> = {
  hpi_rotation_error: 'hpi_amplitude',
  pi_rotation_error: 'pi_amplitude',
  drag_hpi_rotation_error: 'drag_hpi_amplitude',
  drag_pi_rotation_error: 'drag_pi_amplitude',
};
/** An amplitude too small by this part leaves no doubt about the sign of its rotation error. */
const SHORT = 0.1;

/** The amplitudes with which the pulses turn too far by the given shifts. */
function wrongAmplitudes(
  { tests }: CheckForm,
  believed: Believed,
  shifts: Record<string, number>,
  truthsAt: (of: Believed) => Values,
): Believed {
  return Object.fromEntries(
    Object.entries(tests).flatMap(([name, { tolerance }]) => {
      const [input = '', value] = [AMPLITUDES[name], believed[AMPLITUDES[name] ?? '']];
      if (value === undefined) return [];
      const short = (1 - SHORT) * value;
      const turned = 1 - Math.abs(truthsAt({ ...believed, [input]: short })[name] ?? Number.NaN);
      return [[input, (short * (1 + (shifts[name] ?? 0) * tolerance)) / turned] as const];
    }),
  );
}

/** The values as they are stored, so that the true ones are off by the given shifts. */
function storedValues(form: CheckForm, truths: Values, shifts: Record<string, number>): Believed {
  return Object.fromEntries(
    Object.entries(form.tests).flatMap(([name, { tolerance, of, shouldBe }]) => {
      const [truth, shift] = [truths[name], shifts[name] ?? 0];
      if (truth === undefined || shouldBe !== undefined) return [];
      const part = Math.max(LEAST_PART, 1 + shift * tolerance);
      return [[name, of === 'value' ? truth / part : truth - shift * tolerance] as const];
    }),
  );
}

/** Number of measured points times their shots. */
function shotsIn({ variables }: Dataset, run: ResolvedParameters, otherwise: number | undefined): number {
  const points = Object.entries(variables).reduce(
    (sum, [name, { values }]) => (name.endsWith('_re') ? sum + values.length : sum),
    0,
  );
  const isSingle = Object.values(variables).some(({ dims }) => dims.includes('shot'));
  const shots = run.shots?.value;
  return points * (isSingle ? 1 : typeof shots === 'number' ? shots : (otherwise ?? 1));
}

function chosen(kind: Kind, seed: string): { qid: string; qubit: TrueQubit; random: Random } {
  const random = randomFrom(seed, kind.name, 'check');
  const qid = String(Math.floor(random.between(0, QUBITS)));
  const usual = trueQubit(seed, qid, AT);
  const qubit = kind.of !== 'pair' ? (kind.device?.(usual, random) ?? usual) : usual;
  return { qid, qubit, random };
}

/** Plans, measures and judges the check of one device. */
export function judgeTrial(kind: QubitKind, state: DeviceState, seed: string): CheckedTrial {
  const form = checkOf(kind.task);
  const simulation = qubitSimulation(kind.task);
  if (form === undefined || simulation === undefined) throw new Error(`${kind.task} has no check.`);
  const task = taskOf(kind.task);
  const { qid, qubit, random } = chosen(kind, `${seed}-${state}`);
  const fine = randomFrom(seed, kind.name, 'fine tuning');
  const plain = believedOf(qubit, random, fine, randomFrom(seed, kind.name, 'map'));
  const known = isFine(task) ? withFineFrequency(plain, qubit, fine) : plain;
  const believed = kind.believe?.(known, { qubit, random }) ?? known;
  const { parameters: whole } = resolveRunParameters(task, []);
  const shifts = shiftsOf(form, state, random);
  const trialOf = (of: Believed, run: ResolvedParameters): Trial => ({
    ...{ qid, qubit, believed: of, run, random, neighbours: [] },
    mates: muxOf(qid).qids.map((mate) => (mate === qid ? qubit : trueQubit(seed, mate, AT))),
  });
  const measure = (trial: Trial): Dataset =>
    simulation.measure({
      ...{ qid, qubit, inputs: inputsOf(task, trial.believed), run: trial.run, noise: random },
      ...{ muxMates: () => trial.mates, neighbours: () => trial.neighbours },
    });
  const first = trialOf(believed, whole);
  const all = measure(first);
  const calibrated = analyse({
    task,
    qid,
    dataset: all,
    inputs: inputsOf(task, believed),
    runParameters: whole,
  });
  const { outputs } = calibrated;
  const truthsAt = (of: Believed) => kind.truths({ ...first, believed: of, dataset: all }, outputs);
  const found = Object.entries(calibrated.outputs).map(([name, { value }]) => [name, value] as const);
  const stored = {
    ...Object.fromEntries(found),
    ...believed,
    ...storedValues(form, truthsAt(believed), shifts),
    ...wrongAmplitudes(form, believed, shifts, truthsAt),
  };
  const inputs = inputsOf(task, stored);
  const plan = planCheck(form, { run: whole, inputs, values: stored });
  const verdict = { kind: kind.name, state, seed };
  if (typeof plan === 'string') return { ...verdict, outcome: 'not planned', reason: plan, part: 0 };
  const run = { ...runOfNextPass(whole, plan), ...withShots(whole, plan.run) };
  const dataset = measure(trialOf(stored, run));
  const part = shotsIn(dataset, run, form.shots) / shotsIn(all, whole, form.shots);
  kind.spoil?.(dataset, random);
  const analysis = analyse({ task, qid, dataset, inputs, runParameters: run });
  const threshold = analysis.r2Threshold;
  const { outcome, reason } = judgeCheck(
    threshold === undefined ? task : { ...task, r2Threshold: threshold },
    plan,
    analysis,
  );
  const off = Object.entries(shifts).map(([name, shift]) => `${name} off by ${shift.toFixed(2)}`);
  return { ...verdict, outcome, reason: `${off.join(', ')}: ${reason}`, part };
}

/** The shots of a check, also of a task without this run parameter. */
function withShots(whole: ResolvedParameters, run: Record<string, { value: unknown }>): ResolvedParameters {
  const shots = run.shots?.value;
  if (whole.shots !== undefined || typeof shots !== 'number') return {};
  return { shots: { value: shots, value_type: 'int', unit: '' } };
}
