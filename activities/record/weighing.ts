/** Steps that finish a measurement: compares its values with earlier ones. Called by judging.ts. */

import type { TaskResultStore } from '../../shared/domain/results/index.ts';
import type {
  DoubtedValues,
  StoredParameter,
  StoredParameters,
  TaskResultDocument,
} from '../../shared/domain/results/model.ts';
import { NO_TASK } from '../../shared/kernel/ids.ts';
import type { TaskDefinition } from '../../shared/tasks/model.ts';
import {
  ageText,
  areAlike,
  type Doubt,
  doubts,
  type EarlierValue,
  foundText,
  jumpOf,
  wanderSeen,
} from '../../shared/tasks/plausibility.ts';

/** Number of values from which the drift of a quantity is estimated. */
const HISTORY = 20;
const MS_PER_HOUR = 3_600_000;

/** The result of comparing new values with earlier ones. */
export type Weighed =
  | { remarks: string[] }
  /** Why the values must be measured a second time, without a full stop. */
  | { confirm: string }
  /** Names of the doubtful outputs. */
  | { refused: string; doubted: string[] };

interface Weighing {
  row: Pick<
    TaskResultDocument,
    'project_id' | 'chip_id' | 'qid' | 'cooldown_id' | 'name' | 'passes' | 'input_parameters'
  >;
  definition: Pick<TaskDefinition, 'outputs' | 'kind'>;
  /** Calibration state of the target. */
  target: { data: StoredParameters } | null;
  mayMeasureAgain: boolean;
}

type Results = Pick<TaskResultStore, 'get' | 'recentValues' | 'lastDoubted'>;

/**
 * Compares new values with those measured on the target earlier in this cool-down. A value that jumped is measured once more if
 * the task allows it: two measurements that agree are accepted, with a remark. If it does not allow it, the task fails, and its
 * next result confirms or contradicts the value. Physically impossible values are refused even if confirmed. Values that people
 * entered count as estimates and never make a measurement doubtful.
 */
export async function weigh(results: Results, weighing: Weighing, found: DoubtedValues): Promise<Weighed> {
  const { row, definition, target, mayMeasureAgain } = weighing;
  const now = Date.now();
  const before = row.passes?.findLast(({ doubted }) => doubted)?.doubted;
  const known = knownAt(target?.data ?? {}, now);
  const standing = async (values: DoubtedValues) =>
    (
      await Promise.all(
        doubts(definition.outputs, values, known).map((doubt) =>
          remainingDoubt(results, weighing, { doubt, found: values, known, now }),
        ),
      )
    ).flatMap((doubt) => doubt ?? []);
  const held = await standing(found);
  if (held.length === 0) {
    const unconfirmed = before ? listed(before, weighing, await standing(before)) : '';
    const contradicted = definition.kind === 'computed' ? await contradictedInputs(results, row, now) : [];
    return {
      remarks: [
        ...(unconfirmed ? [`A second measurement did not confirm ${unconfirmed}.`] : []),
        ...contradicted,
      ],
    };
  }
  const messages = held.map(({ message }) => message).join('; ');
  const last = before ? { values: before, end_at: null } : await results.lastDoubted(row, row.name);
  const other = last?.values;
  const hours = hoursSince(last?.end_at ?? null, now);
  const isConfirmed = held.every(({ output }) => {
    const [value, again] = [found[output], other?.[output]];
    return value && again && areAlike(value, { ...again, hours }, definition.outputs[output] ?? {});
  });
  if (isConfirmed && held.every(({ kind }) => kind === 'jump')) {
    return { remarks: [`Warning: ${messages}; a second measurement agrees.`] };
  }
  if (!before && !isConfirmed && mayMeasureAgain) return { confirm: messages };
  const second =
    other === undefined
      ? 'It was measured once; the next measurement that agrees is taken over'
      : isConfirmed
        ? 'A second measurement agrees, so what it was compared with may be wrong: measure that again, or set it'
        : `The measurement before gave ${listed(other, weighing, held)}, which does not agree`;
  return {
    refused: `${row.name} found what does not match what is known: ${messages}. ${second}.`,
    doubted: held.map(({ output }) => output),
  };
}

/**
 * The value of the task that a stored value comes from, if its newest result on the target in this cool-down contradicts the
 * stored value; null otherwise. It is then open which of the two is right.
 */
async function contradiction(
  results: Results,
  { project_id, chip_id, cooldown_id }: Weighing['row'],
  origin: Pick<TaskResultDocument, 'qid' | 'name'> | null,
) {
  if (!origin) return null;
  return results.lastDoubted({ project_id, chip_id, qid: origin.qid, cooldown_id }, origin.name);
}

/** Messages about outputs that were computed from values that a later measurement contradicts. */
async function contradictedInputs(results: Results, row: Weighing['row'], now: number): Promise<string[]> {
  const contradictions = await Promise.all(
    Object.entries(row.input_parameters).map(async ([name, input]) => {
      const value = earlierOf(input, now);
      if (value === null || !input.task_id) return [];
      const origin = await results.get(row.project_id, input.task_id);
      const found = (await contradiction(results, row, origin))?.values[input.parameter_name];
      if (found === undefined) return [];
      return [
        `It was computed with ${name} of ${foundText(value, input.unit)} of ${ageText(value.hours)} before, after which ${foundText(found, input.unit)} was measured and refused.`,
      ];
    }),
  );
  return contradictions.flat();
}

/** The doubtful ones among the values. */
function listed(values: DoubtedValues, { definition }: Weighing, held: readonly Doubt[]): string {
  return Object.entries(values)
    .flatMap(([name, value]) => {
      const output = definition.outputs[name];
      if (output === undefined || !held.some((doubt) => doubt.output === name)) return [];
      return [`${name} of ${foundText(value, output.unit)}`];
    })
    .join(', ');
}

function hoursSince(time: Date | null, now: number): number {
  return time === null ? 0 : Math.max(0, (now - time.getTime()) / MS_PER_HOUR);
}

/** The numeric values of calibration state, with their age. */
function knownAt(data: StoredParameters, now: number): Record<string, EarlierValue> {
  return Object.fromEntries(
    Object.entries(data).flatMap(([name, stored]) => {
      const earlier = earlierOf(stored, now);
      return earlier === null ? [] : [[name, earlier] as const];
    }),
  );
}

function earlierOf({ value, error, calibrated_at }: StoredParameter, now: number): EarlierValue | null {
  if (typeof value !== 'number' || !calibrated_at) return null;
  return { value, error: error ?? null, hours: hoursSince(new Date(calibrated_at), now) };
}

/** A doubt that remains after a look at the origins of the known values and at the drift so far; null otherwise. */
async function remainingDoubt(
  results: Results,
  weighing: Weighing,
  {
    doubt,
    found,
    known,
    now,
  }: { doubt: Doubt; found: DoubtedValues; known: Record<string, EarlierValue>; now: number },
): Promise<Doubt | null> {
  const { row, definition, target } = weighing;
  const counts = async (against: string) => {
    const taskId = target?.data[against]?.task_id ?? NO_TASK;
    const measured = await results.get(row.project_id, taskId);
    if (measured?.cooldown_id !== row.cooldown_id) return false;
    // Measuring again confirms or contradicts the task's own value. A value of another task may itself be wrong.
    return measured.name === row.name || (await contradiction(results, row, measured)) === null;
  };
  const { output: name } = doubt;
  const counted = await Promise.all(doubt.against.map(counts));
  if (!counted.every(Boolean)) {
    // A jump counts regardless of the other values.
    const isJump = doubt.against.some((against, index) => against === name && counted[index]);
    if (!isJump) return null;
    const jump: Doubt = { ...doubt, against: [name], kind: 'jump' };
    return remainingDoubt(results, weighing, { doubt: jump, found, known, now });
  }
  const [output, value, earlier] = [definition.outputs[name], found[name], known[name]];
  if (!doubt.against.includes(name) || output?.wander === undefined || !value || !earlier) return doubt;
  const history = (await results.recentValues(row, name, HISTORY)).flatMap(
    (stored) => earlierOf(stored, now) ?? [],
  );
  const wander = wanderSeen(history, output.wander);
  return jumpOf(name, value, { earlier, output: { unit: output.unit, wander } }) === null ? null : doubt;
}
