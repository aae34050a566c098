/** Steps that finish a measurement: decides whether its values are accepted. Called by outcome.ts. */
import type { DoubtedValues, TaskCheck, TaskResultDocument } from '../../shared/domain/results/model.ts';
import { judgeCheck } from '../../shared/tasks/check-judging.ts';
import type { CheckOutcome } from '../../shared/tasks/check-model.ts';
import { gate } from '../../shared/tasks/gates.ts';
import { runWithinLimits } from '../../shared/tasks/limited-values.ts';
import { type NextPassSettings, runOfNextPass } from '../../shared/tasks/next-pass.ts';
import { lengthOfNextPass } from '../../shared/tasks/pass-length.ts';
import { goesOnAfter } from '../../shared/tasks/plausibility.ts';
import { suggestedRun } from '../../shared/tasks/suggested-run.ts';
import type { AnalysedAnswer, Found, ReturnedTask } from './analysing.ts';
import type { RecordDependencies } from './dependencies.ts';
import { weigh } from './weighing.ts';

/** The decision about the values of a measurement. Texts are parts of the task's message. */
export type Verdict =
  | { kind: 'accepted'; remarks: readonly string[]; check?: TaskCheck }
  | {
      kind: 'refused';
      reason: string;
      doubted?: DoubtedValues;
      goesOn: boolean;
      suggested?: NextPassSettings;
    }
  | {
      kind: 'again';
      again: NextPassSettings;
      reasons: readonly string[];
      doubted?: DoubtedValues;
      /** Whether it is the repetition that the stage asks for. */
      repeats?: true;
    };

/** In the message of a refused measurement that its analysis would repeat with other settings. */
const NO_TIME = 'Measuring again, as its analysis asks, would take longer than what is left of its time.';

/**
 * Judges values: first the gates of the task, then a comparison with what is known about the target. Either may request another
 * pass: a refused measurement whose analysis knows better settings, and a value that jumped.
 */
export async function judge(
  { areas }: Pick<RecordDependencies, 'areas'>,
  returned: ReturnedTask,
  found: Found,
  times: AnalysedAnswer['times'],
): Promise<Verdict> {
  const { row, definition, mayMeasureAgain, mayRepeat } = returned;
  if (row.check) return checked(row.check, found);
  const refusal = gate(found.definition, found);
  if (refusal) {
    const { again, suggestion } = found;
    const hasTime = again === undefined || hasTimeFor(again, row, times);
    if (again && mayMeasureAgain && hasTime && isWithinLimits(returned, again)) {
      return { kind: 'again', again, reasons: [refusal.message] };
    }
    const asked = suggestedRun(definition, row.run_parameters, { rule: refusal.rule, again, suggestion });
    const suggested = asked !== null && isWithinLimits(returned, asked) ? asked : undefined;
    if (suggested && mayRepeat && isShortEnough(suggested, returned, times)) {
      const reason = `its stage repeats a refused task once with what its refusal suggests: ${suggested.reason}`;
      return { kind: 'again', again: { ...suggested, reason }, reasons: [refusal.message], repeats: true };
    }
    const reason = hasTime ? refusal.message : `${refusal.message} ${NO_TIME}`;
    return {
      kind: 'refused',
      reason,
      goesOn: goesOnAfter(definition, []),
      ...(suggested && { suggested }),
    };
  }
  if (found.isUnjudged) {
    const remark = `${row.name} needs an r2 and the backend gave none: its values do not become calibration state.`;
    return { kind: 'accepted', remarks: [remark] };
  }
  const values = valuesOf(found.outputs);
  const mayConfirm = mayMeasureAgain && hasTimeFor({ run: {} }, row, times);
  const weighed = await weigh(areas.results, { ...returned, mayMeasureAgain: mayConfirm }, values);
  if ('confirm' in weighed) {
    return { kind: 'again', again: { run: {}, reason: weighed.confirm }, reasons: [], doubted: values };
  }
  if (!('refused' in weighed)) return { kind: 'accepted', remarks: weighed.remarks };
  const goesOn = goesOnAfter(definition, weighed.doubted);
  return { kind: 'refused', reason: weighed.refused, doubted: values, goesOn };
}

/** The verdict on a check, whose values become nothing else. */
function checked({ values }: TaskCheck, found: Found): Verdict {
  const { outcome, reason, findings } = judgeCheck(found.definition, { values }, found);
  const compared = Object.entries(values).map(([parameter, compared]) => {
    const { found: seen = null, error = null } = findings[parameter] ?? {};
    return [parameter, { ...compared, found: seen, error }] as const;
  });
  const check = { outcome, reason, values: Object.fromEntries(compared) };
  return { kind: 'accepted', remarks: [`${OUTCOMES[outcome]}: ${reason}`], check };
}

const OUTCOMES: Readonly<Record<CheckOutcome, string>> = {
  in_specification: 'In specification',
  out_of_specification: 'Out of specification',
  bad_data: 'Bad data',
};

/** Whether the limits of the target leave anything of what another pass would measure. */
function isWithinLimits({ row, definition }: ReturnedTask, again: NextPassSettings): boolean {
  const run = runOfNextPass(row.run_parameters, again);
  return runWithinLimits(definition, run, row.input_parameters).problem === null;
}

/** Whether the pass that is requested ends in the task's time, by how long the last one took. */
function hasTimeFor(
  again: Pick<NextPassSettings, 'run'>,
  row: TaskResultDocument,
  measured: AnalysedAnswer['times'],
): boolean {
  const { deadline } = row;
  return deadline === null || Date.now() + lengthOf(again, row, measured) <= deadline.getTime();
}

/** Whether the repetition that a stage asks for, which begins with all of the task's time, ends within it. */
function isShortEnough(
  again: Pick<NextPassSettings, 'run'>,
  { row, definition }: ReturnedTask,
  measured: AnalysedAnswer['times'],
): boolean {
  return lengthOf(again, row, measured) <= 1000 * definition.timeout;
}

/** Milliseconds that the next pass takes, by how long the last one took. */
function lengthOf(
  again: Pick<NextPassSettings, 'run'>,
  { start_at, run_parameters }: TaskResultDocument,
  measured: AnalysedAnswer['times'],
): number {
  if (start_at === null) return 0;
  const begin = Math.max(start_at.getTime(), measured.start_at?.getTime() ?? 0);
  return lengthOfNextPass(run_parameters, again) * Math.max(0, measured.end_at.getTime() - begin);
}

function valuesOf(outputs: Found['outputs']): DoubtedValues {
  return Object.fromEntries(
    Object.entries(outputs).flatMap(([name, { value, error }]) =>
      value === null ? [] : [[name, { value, error: error ?? null }] as const],
    ),
  );
}
