import type { TaskResultStore } from '../../shared/domain/results/index.ts';
import type {
  DoubtedValues,
  StoredParameter,
  StoredParameters,
  TaskResultDocument,
} from '../../shared/domain/results/model.ts';
import type { TaskDefinition } from '../../shared/tasks/model.ts';
import {
  areAlike,
  type Doubt,
  doubts,
  type EarlierValue,
  foundText,
  jumpOf,
  wanderSeen,
} from '../../shared/tasks/plausibility.ts';

/** Values from which the drift of a quantity is told. */
const HISTORY = 20;
const MS_PER_HOUR = 3_600_000;

/** What became of found values when they were weighed against what is known. */
export type Weighed =
  | { remarks: string[] }
  /** Why they are to be measured a second time; without a full stop. */
  | { confirm: string }
  | { refused: string };

interface Weighing {
  row: Pick<
    TaskResultDocument,
    'project_id' | 'chip_id' | 'qid' | 'cooldown_id' | 'name' | 'passes' | 'input_parameters'
  >;
  definition: Pick<TaskDefinition, 'outputs'>;
  /** What calibration state holds of the target. */
  target: { data: StoredParameters } | null;
  mayMeasureAgain: boolean;
}

type Results = Pick<TaskResultStore, 'get' | 'recentValues' | 'lastDoubted'>;

/**
 * Weighs what was found against what was measured of the target before in this cool-down. What jumped is measured a
 * second time, once, where the task may: two measurements that agree are believed, with a remark. Where it may not, the
 * task fails, and its next result confirms. What cannot be by physics is refused although it is confirmed.
 * Values that people set count as estimates, and nothing is doubted for them.
 */
export async function weigh(results: Results, weighing: Weighing, found: DoubtedValues): Promise<Weighed> {
  const { row, definition, target, mayMeasureAgain } = weighing;
  const now = Date.now();
  const before = row.passes?.findLast(({ doubted }) => doubted)?.doubted;
  const known = knownAt(target?.data ?? {}, now);
  const raised = doubts(definition.outputs, found, known);
  const held = (
    await Promise.all(raised.map((doubt) => stands(results, weighing, { doubt, found, known, now })))
  ).flatMap((doubt) => doubt ?? []);
  if (held.length === 0) {
    return { remarks: before ? [`A second measurement did not confirm ${listed(before, weighing)}.`] : [] };
  }
  const messages = held.map(({ message }) => message).join('; ');
  const other = before ?? (await results.lastDoubted(row, row.name));
  const isConfirmed = held.every(({ output }) => {
    const [value, again] = [found[output], other?.[output]];
    return value && again && areAlike(value, again, definition.outputs[output] ?? {});
  });
  if (isConfirmed && held.every(({ kind }) => kind === 'jump')) {
    return { remarks: [`Warning: ${messages}; a second measurement agrees.`] };
  }
  if (!before && !isConfirmed && mayMeasureAgain) return { confirm: messages };
  const second =
    other === undefined || other === null
      ? 'It was measured once; the next measurement that agrees is taken over'
      : isConfirmed
        ? 'A second measurement agrees, so what it was compared with may be wrong: measure that again, or set it'
        : `The measurement before gave ${listed(other, weighing, held)}, which does not agree`;
  return { refused: `${row.name} found what does not fit to what is known: ${messages}. ${second}.` };
}

function listed(values: DoubtedValues, { definition }: Weighing, only?: readonly Doubt[]): string {
  return Object.entries(values)
    .flatMap(([name, value]) => {
      const output = definition.outputs[name];
      if (output === undefined || (only && !only.some((doubt) => doubt.output === name))) return [];
      return output.wander === undefined && !only ? [] : [`${name} of ${foundText(value, output.unit)}`];
    })
    .join(', ');
}

/** The numbers of calibration state with their age. */
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
  const hours = Math.max(0, (now - Date.parse(calibrated_at)) / MS_PER_HOUR);
  return { value, error: error ?? null, hours };
}

/** A doubt that stands when the origin of the known value and the drift seen so far are looked up; null otherwise. */
async function stands(
  results: Results,
  { row, definition, target }: Weighing,
  {
    doubt,
    found,
    known,
    now,
  }: { doubt: Doubt; found: DoubtedValues; known: Record<string, EarlierValue>; now: number },
): Promise<Doubt | null> {
  const origin = target?.data[doubt.against]?.task_id;
  if (origin !== undefined) {
    const measured = await results.get(row.project_id, origin);
    if (measured === null || measured === undefined || measured.cooldown_id !== row.cooldown_id) return null;
  }
  const { output: name } = doubt;
  const [output, value, earlier] = [definition.outputs[name], found[name], known[name]];
  if (doubt.against !== name || output?.wander === undefined || !value || !earlier) return doubt;
  const history = (await results.recentValues(row, name, HISTORY)).flatMap(
    (stored) => earlierOf(stored, now) ?? [],
  );
  const wander = wanderSeen(history, output.wander);
  return jumpOf(name, value, { earlier, output: { unit: output.unit, wander } }) === null ? null : doubt;
}
