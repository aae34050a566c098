/** Steps finish, finish_or_repeat and finish_and_continue: turns the answer of a backend into the outcome of its task. */
import { storedFilePath } from '../../shared/domain/artifacts/path-rules.ts';
import type { DoubtedValues, TaskOutcome, TaskPass } from '../../shared/domain/results/model.ts';
import type { FileOutcome } from '../../shared/science/datasets/file-attributes.ts';
import type { NextPassSettings } from '../../shared/tasks/next-pass.ts';
import { type AnalysedAnswer, analyseAnswer, type Found, type ReturnedTask } from './analysing.ts';
import type { RecordDependencies } from './dependencies.ts';
import { judge, type Verdict } from './judging.ts';
import { clockRemark } from './observed-times.ts';
import { writeRawData } from './raw-data.ts';
import { judgedOutputs, storedOutputs, withoutState } from './stored-outputs.ts';

/** The outcome of a measurement: the end of its task, or a request for another pass. */
export type MeasurementOutcome =
  | { outcome: TaskOutcome }
  | { again: NextPassSettings; rawData: string[]; doubted?: DoubtedValues; repeats?: true };

const NOTHING_FOUND = {
  outputs: {},
  quality_metrics: {} as Record<string, number>,
  figure_path: [] as string[],
  json_figure_path: [] as string[],
};

/** Turns the answer of a backend into the outcome of its task, in three steps: analyse, judge, store files. */
export async function outcomeOf(
  dependencies: RecordDependencies,
  returned: ReturnedTask,
): Promise<MeasurementOutcome> {
  const { counts } = dependencies;
  const { backend } = returned.run;
  if (returned.finished && !returned.finished.given_up) counts?.answered(backend);
  const analysed = await analyseAnswer(dependencies, returned);
  const { found, problem } = analysed;
  if (!found) {
    counts?.ended(backend, 'failed');
    return { outcome: await unusable(dependencies, returned, analysed, problem ?? '') };
  }
  const verdict = await judge(dependencies, returned, found, analysed.times);
  if (verdict.kind === 'again') return nextPass(dependencies, returned, { ...analysed, found }, verdict);
  counts?.ended(backend, verdict.kind === 'accepted' ? 'completed' : 'refused');
  return { outcome: await ended(dependencies, returned, { ...analysed, found }, verdict) };
}

/** The failed outcome of a task whose answer cannot be used. The delivered data is still stored. */
async function unusable(
  dependencies: RecordDependencies,
  returned: ReturnedTask,
  analysed: AnalysedAnswer,
  message: string,
): Promise<TaskOutcome> {
  const status = 'failed';
  const rawData = await storeData(dependencies, returned, analysed, {
    status,
    message,
    r2: null,
    outputs: {},
  });
  return {
    ...NOTHING_FOUND,
    ...analysed.times,
    ...noteOf(analysed),
    status,
    message,
    raw_data_path: withEarlierPasses(returned, rawData),
  };
}

/** The request for another pass. */
async function nextPass(
  dependencies: RecordDependencies,
  returned: ReturnedTask,
  analysed: AnalysedAnswer & { found: Found },
  { again, reasons, doubted, repeats }: Extract<Verdict, { kind: 'again' }>,
): Promise<MeasurementOutcome> {
  const rawData = await storeData(dependencies, returned, analysed, {
    status: 'measured again',
    message: [...reasons, measuredAgain([again])].join(' '),
    r2: analysed.found.r2,
    outputs: {},
  });
  return {
    again,
    rawData: rawData.map((path) => storedFilePath(path, returned.run)),
    ...(doubted && { doubted }),
    ...(repeats && { repeats }),
  };
}

/** The outcome of a task whose values were accepted or refused. */
async function ended(
  dependencies: RecordDependencies,
  returned: ReturnedTask,
  analysed: AnalysedAnswer & { found: Found },
  verdict: Exclude<Verdict, { kind: 'again' }>,
): Promise<TaskOutcome> {
  const { found, times } = analysed;
  const isAccepted = verdict.kind === 'accepted';
  const check = isAccepted ? verdict.check : undefined;
  const outputs = isAccepted && !check ? storedOutputs(returned, found.outputs, times.end_at) : {};
  const message = messageOfEnd(returned, analysed, verdict);
  const status = isAccepted ? 'completed' : 'failed';
  const rawData = await storeData(dependencies, returned, analysed, {
    status,
    message,
    r2: found.r2,
    outputs,
  });
  const figures = await storeFigures(dependencies, returned, found);
  const outcome: TaskOutcome = {
    ...NOTHING_FOUND,
    ...times,
    ...noteOf(analysed),
    ...figures,
    status,
    message,
    outputs,
    ...(check && { check }),
    ...(found.r2 !== null && { quality_metrics: { r2: found.r2 } }),
    raw_data_path: withEarlierPasses(returned, rawData),
  };
  if (isAccepted) {
    const accepted = { ...outcome, gates: judgedOutputs(outputs, found) };
    return found.isUnjudged ? withoutState(accepted) : accepted;
  }
  const { doubted, goesOn, suggested } = verdict;
  return {
    ...outcome,
    ...(doubted && { doubted }),
    ...(goesOn && { goes_on: true }),
    ...(suggested && { suggested_run_parameters: suggestedParameters(returned, suggested) }),
  };
}

/** Run parameters that a refusal suggests, with the unit and description of those that the task had. */
function suggestedParameters(
  { row }: ReturnedTask,
  { run }: NextPassSettings,
): TaskOutcome['suggested_run_parameters'] {
  return Object.fromEntries(
    Object.entries(run).flatMap(([name, suggested]) => {
      const before = row.run_parameters[name];
      return before ? [[name, { ...before, ...suggested }] as const] : [];
    }),
  );
}

function messageOfEnd(
  { row }: ReturnedTask,
  { found, clock }: Pick<AnalysedAnswer, 'clock'> & { found: Found },
  verdict: Exclude<Verdict, { kind: 'again' }>,
): string {
  const messages =
    verdict.kind === 'refused' ? [verdict.reason] : [`${row.name} is completed.`, ...verdict.remarks];
  const remark = clockRemark(clock.offset);
  const passes = row.passes?.length ? [measuredAgain(row.passes)] : [];
  return [...messages, ...(found.notes ?? []), ...passes, ...(remark ? [remark] : [])].join(' ');
}

/** Stores the data of a measurement. @returns its files, those that the backend wrote included */
async function storeData(
  { files }: RecordDependencies,
  returned: ReturnedTask,
  { delivered, times }: AnalysedAnswer,
  outcome: FileOutcome,
): Promise<string[]> {
  if (!delivered?.data) return delivered?.files ?? [];
  const { data, files: further } = delivered;
  if ('file' in data) return [data.file, ...further];
  const begin = times.start_at ?? returned.row.start_at ?? times.end_at;
  const measured = { dataset: data, begin, end: times.end_at };
  return [await writeRawData(files, returned, measured, outcome), ...further];
}

/** Stores the descriptions of figures, and notes which pictures are not drawn yet. */
async function storeFigures(
  { files, figures }: RecordDependencies,
  { run, row }: ReturnedTask,
  found: Found,
): Promise<Pick<TaskOutcome, 'figure_path' | 'json_figure_path'>> {
  const task = { name: row.name, qid: row.qid, id: row.task_id };
  const stored = await Promise.all(
    found.figures.map((figure, index) => files.writeFigure(run, task, index, figure)),
  );
  for (const { png } of stored) figures.add(png);
  return {
    figure_path: stored.map(({ png }) => storedFilePath(png, run)),
    json_figure_path: stored.map(({ json }) => storedFilePath(json, run)),
  };
}

/** The files of a task as they are stored, with those of its earlier passes. */
function withEarlierPasses({ run, row }: ReturnedTask, files: readonly string[]): string[] {
  const earlier = (row.passes ?? []).flatMap(({ raw_data_path }) => raw_data_path);
  return [...earlier, ...files.map((path) => storedFilePath(path, run))];
}

function measuredAgain(passes: readonly Pick<TaskPass, 'reason'>[]): string {
  return `It measured again because ${passes.map(({ reason }) => reason).join(', and once more because ')}.`;
}

/** What a backend reported beside its data: its log, its times, and how far its clock is off. */
function noteOf({ clock, log }: Pick<AnalysedAnswer, 'clock' | 'log'>): Pick<TaskOutcome, 'note'> {
  const { offset, reported } = clock;
  const hasTimes = Object.keys(reported).length > 0;
  if (!hasTimes && log === '') return {};
  return {
    note: {
      ...reported,
      ...(hasTimes && { backend_clock_offset_seconds: String(Math.round(offset) / 1000) }),
      ...(log !== '' && { backend_log: log }),
    },
  };
}
