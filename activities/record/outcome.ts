import { stat } from 'node:fs/promises';
import type { CalibratedTarget } from '../../shared/domain/chips/index.ts';
import { gateResults } from '../../shared/domain/results/gate-rules.ts';
import type {
  DoubtedValues,
  GateResult,
  StoredParameters,
  TaskOutcome,
  TaskPass,
  TaskResultDocument,
} from '../../shared/domain/results/model.ts';
import type { HeldRun } from '../../shared/domain/runs/run-model.ts';
import { messageOf } from '../../shared/kernel/errors.ts';
import { locate } from '../../shared/kernel/files/paths.ts';
import type { FileOutcome } from '../../shared/science/datasets/file-attributes.ts';
import type { Dataset } from '../../shared/science/datasets/model.ts';
import { datasetProblem } from '../../shared/science/datasets/rules.ts';
import type { AnalysisInput } from '../../shared/tasks/common/analysis/model.ts';
import { gate } from '../../shared/tasks/gates.ts';
import { runWithinLimits } from '../../shared/tasks/limited-values.ts';
import { type Again, runOfNextPass } from '../../shared/tasks/measuring-again.ts';
import type { TaskDefinition } from '../../shared/tasks/model.ts';
import { lengthOfNextPass } from '../../shared/tasks/pass-length.ts';
import { goesOnAfter } from '../../shared/tasks/plausibility.ts';
import { AnalysisStopped, type StoredFigure } from '../analysis/pool.ts';
import { readMeasureResult, type TargetResult } from '../backends/backend.ts';
import type { FinishedMeasurement } from '../contracts/steps.ts';
import type { RecordDependencies } from './dependencies.ts';
import { readFinishedValues } from './finished-values.ts';
import { describeForeignFigures } from './foreign-figures.ts';
import { clockRemark, type ObservedTimes, observedTimes, type ReportedTimes } from './observed-times.ts';
import { writeRawData } from './raw-data.ts';
import { shareOfRun } from './share.ts';
import { weigh } from './weighing.ts';

/** The answer of a backend cannot be used; the message is the sentence that the task shows. */
class UnusableAnswer extends Error {}

const noMetrics: Record<string, number> = {};

interface Found {
  outputs: Record<string, { value: number | null; error?: number | null }>;
  r2: number | null;
  refused?: string;
  again?: Again;
  figures: StoredFigure[];
  /** Sentences for the task's message about what came otherwise than expected. */
  notes?: string[];
  /** Whether the task needs an r2 and its backend gave none: the values are stored and do not become calibration state. */
  isUnjudged?: boolean;
  definition: Parameters<typeof gate>[0] & Pick<TaskDefinition, 'outputs'>;
}

/** What a backend delivered of one target. */
interface Delivered {
  /** Data that came with the answer and are yet to be kept, or the file that the backend wrote them to. */
  data: Dataset | { file: string } | undefined;
  /** Further files that the backend wrote. */
  files: string[];
}

/** A task that came back from its backend, or that needs none. */
export interface ReturnedTask {
  run: HeldRun;
  row: TaskResultDocument;
  definition: TaskDefinition;
  /** What calibration state holds of the target. */
  target: Pick<CalibratedTarget, 'data'> | null;
  /** Null for a task that is computed from its inputs alone. */
  finished: FinishedMeasurement | null;
  /** Whether it may measure once more. */
  mayMeasureAgain: boolean;
}

/** What a measurement came to: the end of its task, or another pass of it. */
export type Came = { outcome: TaskOutcome } | { again: Again; rawData: string[]; doubted?: DoubtedValues };

/**
 * Turns what a backend answered into the outcome of its task: analysis, gates, files. Nothing is stored yet but
 * files. Without a measurement the task is computed from its inputs alone. A refused measurement whose analysis knows
 * better settings asks for another pass, and so does one that does not fit to what is known.
 */
export async function outcomeOf(dependencies: RecordDependencies, returned: ReturnedTask): Promise<Came> {
  const { run, row, definition, finished } = returned;
  const ended = { end_at: new Date(), start_at: null as Date | null };
  let clock: Pick<ObservedTimes, 'offset' | 'reported'> = { offset: 0, reported: {} };
  const nothing = {
    outputs: {},
    quality_metrics: {},
    figure_path: [],
    json_figure_path: [],
    raw_data_path: [],
  };
  const earlier = row.passes ?? [];
  const withEarlier = (files: readonly string[]) => [
    ...earlier.flatMap(({ raw_data_path }) => raw_data_path),
    ...files,
  ];
  const failed = (message: string, files: readonly string[] = []): Came => ({
    outcome: {
      ...{ ...nothing, ...ended, ...clockNote(clock) },
      ...{ status: 'failed' as const, message, raw_data_path: withEarlier(files) },
    },
  });
  if (finished?.failure) return failed(finished.failure);
  let delivered: Delivered | null = null;
  const keep = async (said: FileOutcome): Promise<string[]> => {
    if (!delivered?.data) return delivered?.files ?? [];
    const { data, files } = delivered;
    if ('file' in data) return [data.file, ...files];
    const begin = ended.start_at ?? row.start_at ?? ended.end_at;
    const measured = { dataset: data, begin, end: ended.end_at };
    return [await writeRawData(dependencies.files, returned, measured, said), ...files];
  };
  let found: Found;
  try {
    if (finished) {
      const { answer, reported } = readAnswer(finished.result, row.qid);
      const times = observedTimes(reported, { requested: row.start_at, answered: ended.end_at });
      ended.start_at = times.start_at;
      ended.end_at = times.end_at;
      clock = times;
      delivered = await deliveredBy(dependencies, run, answer);
      found = await evaluate(dependencies, returned, answer, delivered);
    } else found = { ...(await analyse(dependencies, returned, nothingMeasured)), definition };
  } catch (thrown) {
    if (!(thrown instanceof UnusableAnswer)) throw thrown;
    const { message } = thrown;
    return failed(message, await keep({ status: 'failed', message, r2: null, outputs: {} }));
  }
  const refusal = gate(found.definition, found);
  const { again } = found;
  const { mayMeasureAgain } = returned;
  const hasTime = again === undefined || hasTimeFor(again, row, ended);
  if (refusal && again && mayMeasureAgain && hasTime && isWithinLimits(returned, again)) {
    const said = `${refusal.message} ${measuredAgain(again)}`;
    const rawData = await keep({ status: 'measured again', message: said, r2: found.r2, outputs: {} });
    return { again, rawData };
  }
  const values = valuesOf(found.outputs);
  const notes = found.notes ?? [];
  const weighed = refusal
    ? { refused: hasTime ? refusal.message : `${refusal.message} ${NO_TIME}`, doubted: [] }
    : found.isUnjudged
      ? {
          remarks: [
            `${row.name} needs an r2 and the backend gave none: its values do not become calibration state.`,
          ],
        }
      : await weigh(
          dependencies.areas.results,
          { ...returned, mayMeasureAgain: mayMeasureAgain && hasTimeFor({ run: {} }, row, ended) },
          values,
        );
  if ('confirm' in weighed) {
    const again = { run: {}, reason: weighed.confirm };
    const message = measuredAgain(again);
    const rawData = await keep({ status: 'measured again', message, r2: found.r2, outputs: {} });
    return { again, rawData, doubted: values };
  }
  const isRefused = 'refused' in weighed;
  const said = isRefused ? [weighed.refused] : [`${row.name} is completed.`, ...weighed.remarks];
  const remark = clockRemark(clock.offset);
  const message = [...said, ...notes, ...earlier.map(measuredAgain), ...(remark ? [remark] : [])].join(' ');
  const outputs = isRefused ? {} : storedOutputs(returned, found.outputs, ended.end_at);
  const status = isRefused ? 'failed' : 'completed';
  const rawData = await keep({ status, message, r2: found.r2, outputs });
  const task = { name: row.name, qid: row.qid, id: row.task_id };
  const figures = await Promise.all(
    found.figures.map(async (figure, index) => {
      const files = await dependencies.files.writeFigure(run, task, index, figure);
      dependencies.figures.add(files.png);
      return files;
    }),
  );
  const kept = {
    quality_metrics: found.r2 === null ? noMetrics : { r2: found.r2 },
    figure_path: figures.map(({ png }) => png),
    json_figure_path: figures.map(({ json }) => json),
    raw_data_path: withEarlier(rawData),
  };
  const outcome = { ...kept, ...ended, ...clockNote(clock), status, message, outputs } as const;
  if (!isRefused) {
    const accepted = { ...outcome, gates: judged(outputs, found) };
    return { outcome: found.isUnjudged ? withoutState(accepted) : accepted };
  }
  return {
    outcome: {
      ...outcome,
      ...(refusal ? {} : { doubted: values }),
      ...(goesOnAfter(definition, weighed.doubted) && { goes_on: true }),
    },
  };
}

/** Whether the limits of the target leave anything of what another pass would measure. */
function isWithinLimits({ row, definition }: ReturnedTask, again: Again): boolean {
  const run = runOfNextPass(row.run_parameters, again);
  return runWithinLimits(definition, run, row.input_parameters).problem === null;
}

/** Said of a refused measurement that its analysis would make again. */
const NO_TIME = 'Measuring again, as its analysis asks, would take longer than what is left of its time.';

/** Whether the pass that is asked for ends in the task's time, by how long the last one took. */
function hasTimeFor(
  again: Pick<Again, 'run'>,
  { start_at, deadline, run_parameters }: TaskResultDocument,
  measured: Pick<TaskOutcome, 'start_at' | 'end_at'>,
): boolean {
  if (deadline === null || start_at === null) return true;
  const begin = Math.max(start_at.getTime(), measured.start_at?.getTime() ?? 0);
  const took = Math.max(0, measured.end_at.getTime() - begin);
  return Date.now() + lengthOfNextPass(run_parameters, again) * took <= deadline.getTime();
}

function valuesOf(outputs: Found['outputs']): DoubtedValues {
  return Object.fromEntries(
    Object.entries(outputs).flatMap(([name, { value, error }]) =>
      value === null ? [] : [[name, { value, error: error ?? null }] as const],
    ),
  );
}

function measuredAgain({ reason }: Pick<TaskPass, 'reason'>): string {
  return `It measured again because ${reason}.`;
}

/** The times that a backend reported, and how far its clock is off, as they are kept beside the observed ones. */
function clockNote({
  offset,
  reported,
}: Pick<ObservedTimes, 'offset' | 'reported'>): Pick<TaskOutcome, 'note'> {
  if (Object.keys(reported).length === 0) return {};
  return { note: { ...reported, backend_clock_offset_seconds: String(Math.round(offset) / 1000) } };
}

/** Checks the answer against the contract and picks the target's part. */
function readAnswer(result: unknown, qid: string): { answer: TargetResult; reported: ReportedTimes } {
  const read = readMeasureResult(result);
  if (typeof read === 'string') throw new UnusableAnswer(read);
  const answer = read.targets[qid];
  if (!answer) throw new UnusableAnswer(`The backend's answer has nothing for target ${qid}.`);
  return { answer, reported: read };
}

async function deliveredBy(
  dependencies: RecordDependencies,
  run: HeldRun,
  answer: TargetResult,
): Promise<Delivered> {
  const { dataset, dataset_path } = answer;
  const files = await Promise.all(
    (answer.raw_data ?? []).map((path) => backendFile(dependencies, run, path)),
  );
  const problem = dataset === undefined ? null : datasetProblem(dataset);
  if (problem) throw new UnusableAnswer(`The backend's data is inconsistent: ${problem}.`);
  if (dataset_path === undefined) return { data: dataset, files };
  // A file that the backend wrote is the raw data as it is; a mux has one for its qubits.
  const file = await backendFile(dependencies, run, dataset_path);
  const isFile = await stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
  // What is no file cannot be kept as raw data; any other is, whatever is in it.
  if (!isFile) throw new UnusableAnswer("The backend's data file cannot be read: it is not a plain file.");
  return { data: { file }, files };
}

async function evaluate(
  dependencies: RecordDependencies,
  { run, row, definition }: ReturnedTask,
  answer: TargetResult,
  { data }: Delivered,
): Promise<Found> {
  if (data) return { ...(await analyse(dependencies, { run, row, definition }, data)), definition };
  const finished = readFinishedValues(answer, definition.outputs);
  if (typeof finished === 'string') throw new UnusableAnswer(finished);
  const described = await describeForeignFigures(dependencies, answer, shareOfRun(run));
  const isUnjudged = finished.r2 === null && definition.r2Threshold !== null;
  return {
    ...finished,
    notes: [...finished.notes, ...described.notes],
    figures: described.figures,
    isUnjudged,
    // An r2 that a backend gives must hold; without one its values are stored and do not become calibration state.
    definition: isUnjudged ? { ...definition, r2Threshold: null } : definition,
  };
}

const nothingMeasured: Dataset = { dims: {}, coordinates: {}, variables: {} };

async function analyse(
  dependencies: RecordDependencies,
  { run, row, definition }: Pick<ReturnedTask, 'run' | 'row' | 'definition'>,
  data: Dataset | { file: string },
) {
  const { analysis } = dependencies;
  const asked = {
    task: definition,
    qid: row.qid,
    inputs: inputValues(row),
    runParameters: row.run_parameters,
  };
  const analysed = await usable(() =>
    'file' in data
      ? analysis.analyseFile(data.file, asked, shareOfRun(run))
      : analysis.analyse({ ...asked, dataset: data }, shareOfRun(run)),
  );
  if (analysed.unreadable !== undefined) throw new UnusableAnswer(analysed.unreadable);
  return analysed;
}

/** Data on which an analysis breaks fails its task; tried again it would break again. */
async function usable<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (thrown) {
    if (thrown instanceof AnalysisStopped) throw thrown;
    throw new UnusableAnswer(`The data could not be analysed: ${messageOf(thrown)}`);
  }
}

function inputValues(row: TaskResultDocument): AnalysisInput['inputs'] {
  return Object.fromEntries(
    Object.entries(row.input_parameters).flatMap(([name, { value, value_type, unit, error }]) =>
      value === null ? [] : [[name, { value, value_type, unit, error: error ?? null }] as const],
    ),
  );
}

/** The file that a backend names, links resolved: it must lie in the directory that the backend was given. */
async function backendFile(dependencies: RecordDependencies, run: HeldRun, path: string): Promise<string> {
  const place = await locate(await dependencies.files.rawDataDirectory(run), path);
  if (typeof place === 'string' || place.inside === '') {
    throw new UnusableAnswer("The backend names a file that is not in the task's artifact_dir.");
  }
  return place.path;
}

/** Outputs as they are stored and shown, with what calibration state held before. */
function storedOutputs(
  { row, definition, target }: ReturnedTask,
  outputs: Found['outputs'],
  at: Date,
): StoredParameters {
  return Object.fromEntries(
    Object.entries(outputs).flatMap(([name, { value, error }]) => {
      const declared = definition.outputs[name];
      if (!declared || value === null) return [];
      const previous = target?.data[name]?.value;
      return [
        [
          name,
          {
            parameter_name: name,
            qid_role: declared.role ?? '',
            required: false,
            value,
            value_type: declared.valueType,
            error: error ?? null,
            unit: declared.unit,
            description: declared.description,
            calibrated_at: at.toISOString(),
            execution_id: row.execution_id,
            task_id: row.task_id,
            previous_database_value:
              typeof previous === 'number' || typeof previous === 'string' ? previous : null,
            database_updated: true,
          },
        ] as const,
      ];
    }),
  );
}

/** What each rule said of each output, kept because the catalog may change. */
function judged(outputs: StoredParameters, { definition, r2 }: Found): Record<string, GateResult[]> {
  return Object.fromEntries(
    Object.entries(outputs).map(([parameter_name, { value, unit }]) => [
      parameter_name,
      gateResults({ parameter_name, value, unit }, definition, r2),
    ]),
  );
}

/** The outcome of a task whose outputs are kept in its result only. */
export function withoutState(outcome: TaskOutcome): TaskOutcome {
  const outputs = Object.entries(outcome.outputs).map(
    ([name, output]) =>
      [name, { ...output, previous_database_value: null, database_updated: false }] as const,
  );
  return { ...outcome, outputs: Object.fromEntries(outputs) };
}
