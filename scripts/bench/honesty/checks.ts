import type { Dataset } from '../../../shared/science/datasets/model.ts';
import { type Random, randomFrom } from '../../../shared/science/device/random.ts';
import { wrapped } from '../../../shared/science/fitting/phases.ts';
import { analyse } from '../../../shared/tasks/analyses.ts';
import { judgeCheck } from '../../../shared/tasks/check-judging.ts';
import type { CheckForm, CheckVerdict, Tolerance } from '../../../shared/tasks/check-model.ts';
import { planCheck } from '../../../shared/tasks/check-planning.ts';
import { checkOf } from '../../../shared/tasks/checks.ts';
import type { ResolvedParameters } from '../../../shared/tasks/model.ts';
import { runOfNextPass } from '../../../shared/tasks/next-pass.ts';
import { kinds } from './kinds.ts';
import type { Measurement } from './measurement.ts';
import { measurementOf } from './measuring.ts';
import type { Kind, PairKind, QubitKind, StoredValues, Values } from './model.ts';

/** Whether the device is within the tolerances, or so far beyond one of them that the check must report it. */
export type DeviceState = 'within' | 'beyond';

/** The outcome of one check. */
export interface CheckedTrial {
  kind: string;
  state: DeviceState;
  seed: string;
  outcome: CheckVerdict['outcome'] | 'not planned';
  reason: string;
  /** Fraction of the hardware time of the whole task. */
  part: number;
}

/** Range of values out of specification, in tolerances. */
const BEYOND = { from: 1.5, to: 4 } as const;
/** Minimum of a changed value, as a fraction of the original one. */
const MIN_PART = 0.2;

/** The kinds of measurements whose tasks have a check form: on healthy devices and on imperfect ones. */
export const checkedKinds: readonly Kind[] = kinds.filter(
  (kind) =>
    checkOf(kind.task) !== undefined &&
    (kind.group === 'healthy' || kind.group === 'imperfect') &&
    // The check chooses its own sweep, but data that are produced in another way have a fixed one.
    kind.run === undefined &&
    kind.measure === undefined &&
    // The check uses the created gate, and not the one suggested by the tomography.
    (kind.task !== 'CreateZX90' || (kind.of === 'pair' && kind.isMade === true)),
);

/** Deviation of each tested value, in tolerances. */
function shiftsOf({ tests }: CheckForm, state: DeviceState, random: Random): Record<string, number> {
  const names = Object.keys(tests);
  const shifts = Object.fromEntries(names.map((name) => [name, random.between(-1, 1)]));
  if (state === 'within') return shifts;
  const far = names[Math.floor(random.between(0, names.length))] ?? '';
  const size = BEYOND.from * (BEYOND.to / BEYOND.from) ** random.uniform();
  return { ...shifts, [far]: random.uniform() < 0.5 ? size : -size };
}

/** The amplitude that belongs to each rotation error. */
const AMPLITUDES: Readonly<Record<string, string>> = {
  hpi_rotation_error: 'hpi_amplitude',
  pi_rotation_error: 'pi_amplitude',
  drag_hpi_rotation_error: 'drag_hpi_amplitude',
  drag_pi_rotation_error: 'drag_pi_amplitude',
  zx90_rotation_error: 'cr_amplitude',
};
/** Rotation errors of which only the absolute value is known. */
const SIZES: ReadonlySet<string> = new Set(['pi_rotation_error', 'drag_pi_rotation_error']);
/** Reduction of an amplitude, as a fraction, after which the sign of its rotation error is certain. */
const SHORT = 0.1;
/** Number of steps in the search for an amplitude, because the rotation of a gate is only nearly proportional to it. */
const STEPS = 4;

const SECANTS = 6;
/** The first step, as a fraction of the amplitude. */
const FIRST_STEP = 1e-4;

/** The wrong stored values of a qubit whose staircase has these errors. */
const STAIRCASE: Readonly<Record<string, (stored: StoredValues, wanted: number) => StoredValues>> = {
  allxy_amplitude_error: ({ drag_hpi_amplitude: hpi = 0, drag_pi_amplitude: pi = 0 }, wanted) => ({
    drag_hpi_amplitude: (1 + wanted) * hpi,
    drag_pi_amplitude: (1 + wanted) * pi,
  }),
  allxy_detuning: ({ qubit_frequency: frequency = 0 }, wanted) => ({
    qubit_frequency: frequency - wanted / 1000,
  }),
};

/** The flux pulse whose conditional phase deviates by this much, by the secant method. */
function wrongFluxPulse(
  stored: StoredValues,
  wanted: number,
  truthsAt: (of: StoredValues) => Values,
): StoredValues {
  const errorAt = (amplitude: number) => {
    const { cz_conditional_phase: phase = Number.NaN } = truthsAt({ cz_flux_amplitude: amplitude });
    return wrapped(phase - Math.PI - wanted);
  };
  let before = stored['cz_flux_amplitude'] ?? Number.NaN;
  let amplitude = before * (1 + FIRST_STEP);
  let [errorBefore, error] = [errorAt(before), errorAt(amplitude)];
  for (let step = 0; step < SECANTS && error !== errorBefore; step++) {
    const next = amplitude - (error * (amplitude - before)) / (error - errorBefore);
    [before, errorBefore] = [amplitude, error];
    [amplitude, error] = [next, errorAt(next)];
  }
  return { cz_flux_amplitude: amplitude };
}

/** Inputs that shift values with a fixed expectation, such as 0, by the given amounts. */
function wrongInputs(
  { tests }: CheckForm,
  stored: StoredValues,
  shifts: Record<string, number>,
  truthsAt: (of: StoredValues) => Values,
): StoredValues {
  const wrong = Object.entries(tests).map(([name, { tolerance }]): StoredValues => {
    const wanted = (shifts[name] ?? 0) * tolerance;
    const [input = '', value] = [AMPLITUDES[name], stored[AMPLITUDES[name] ?? '']];
    if (name === 'cz_conditional_phase') return wrongFluxPulse(stored, wanted, truthsAt);
    if (value === undefined) return STAIRCASE[name]?.(stored, wanted) ?? {};
    const errorAt = (amplitude: number) => truthsAt({ ...stored, [input]: amplitude })[name] ?? Number.NaN;
    const short = (1 - SHORT) * value;
    let amplitude = (short * (1 + wanted)) / (1 - Math.abs(errorAt(short)));
    for (let step = 1; step < STEPS && !SIZES.has(name); step++) {
      amplitude *= (1 + wanted) / (1 + errorAt(amplitude));
    }
    return { [input]: amplitude };
  });
  return Object.assign({}, ...wrong);
}

/** Stored values from which the true ones deviate by the given shifts. */
function storedValues(form: CheckForm, truths: Values, shifts: Record<string, number>): StoredValues {
  return Object.fromEntries(
    Object.entries(form.tests).flatMap(([name, { tolerance, of, shouldBe }]) => {
      const [truth, shift] = [truths[name], shifts[name] ?? 0];
      if (truth === undefined || shouldBe !== undefined) return [];
      const part = Math.max(MIN_PART, 1 + shift * tolerance);
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
  // Counts of outcomes have no signal with points.
  return Math.max(1, points) * (isSingle ? 1 : typeof shots === 'number' ? shots : (otherwise ?? 1));
}

/** The measurement of a kind with other stored values, and without the faults of its data. */
function withStoredValues(kind: Kind, seed: string, changed: StoredValues): Measurement {
  if (kind.of === 'pair') {
    const { spoil: _, ...healthy } = kind;
    const changeStored: PairKind['changeStored'] = (usual, of) => ({
      ...(kind.changeStored?.(usual, of) ?? usual),
      ...changed,
    });
    return measurementOf({ ...healthy, changeStored }, seed);
  }
  const { spoil: _, ...healthy } = kind;
  const changeStored: QubitKind['changeStored'] = (usual, of) => ({
    ...(kind.changeStored?.(usual, of) ?? usual),
    ...changed,
  });
  return measurementOf({ ...healthy, changeStored }, seed);
}

/** The values of a measurement's inputs. */
function storedIn({ inputs }: Measurement): StoredValues {
  return Object.fromEntries(
    Object.entries(inputs).flatMap(([name, { value }]) =>
      typeof value === 'number' ? [[name, value] as const] : [],
    ),
  );
}

/** A check form with the tolerances of a configuration. */
function withTolerances(form: CheckForm, tolerances: Readonly<Record<string, Tolerance>>): CheckForm {
  const tests = Object.entries(form.tests).map(([name, test]) => [
    name,
    { ...test, ...(!test.isFinest && tolerances[name]) },
  ]);
  return { ...form, tests: Object.fromEntries(tests) };
}

/**
 * Plans, measures and judges the check of one device.
 * @param tolerances replace those of the check forms
 */
export function judgeTrial(
  kind: Kind,
  state: DeviceState,
  { seed, tolerances = {} }: { seed: string; tolerances?: Readonly<Record<string, Tolerance>> },
): CheckedTrial {
  const usualForm = checkOf(kind.task);
  if (usualForm === undefined) throw new Error(`${kind.task} has no check.`);
  const form = withTolerances(usualForm, tolerances);
  const own = `${seed}-${state}`;
  const shifts = shiftsOf(form, state, randomFrom(own, kind.name, 'check'));
  const usual = withStoredValues(kind, own, {});
  const { task, target: qid, run: whole } = usual;
  const all = usual.measure(whole);
  const { outputs } = analyse({ task, qid, dataset: all, inputs: usual.inputs, runParameters: whole });
  const truthsAt = (of: StoredValues) =>
    withStoredValues(kind, own, of).truths({ run: whole, dataset: all }, outputs);
  const found = Object.entries(outputs).map(([name, { value }]) => [name, value] as const);
  const stored = storedIn(usual);
  const wrong = wrongInputs(form, stored, shifts, truthsAt);
  const changed = { ...storedValues(form, truthsAt(wrong), shifts), ...wrong };
  const subject = withStoredValues(kind, own, changed);
  const { inputs } = subject;
  const values = { ...Object.fromEntries(found), ...stored, ...changed };
  const plan = planCheck(form, { run: whole, inputs, values });
  const verdict = { kind: kind.name, state, seed };
  if (typeof plan === 'string') return { ...verdict, outcome: 'not planned', reason: plan, part: 0 };
  const run = { ...runOfNextPass(whole, plan), ...withShots(whole, plan.run) };
  const dataset = subject.measure(run);
  const part = shotsIn(dataset, run, form.shots) / shotsIn(all, whole, form.shots);
  kind.spoil?.(dataset, randomFrom(own, kind.name, 'spoilt check'));
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

/** The shots of a check, even for a task without this run parameter. */
function withShots(whole: ResolvedParameters, run: Record<string, { value: unknown }>): ResolvedParameters {
  const shots = run.shots?.value;
  if (whole.shots !== undefined || typeof shots !== 'number') return {};
  return { shots: { value: shots, value_type: 'int', unit: '' } };
}
