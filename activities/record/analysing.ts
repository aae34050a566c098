/** Steps that finish a measurement: reads the answer of a backend and analyses its data. Called by outcome.ts. */

import { stat } from 'node:fs/promises';
import type { CalibratedTarget } from '../../shared/domain/chips/index.ts';
import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import type { HeldRun } from '../../shared/domain/runs/run-model.ts';
import { messageOf } from '../../shared/kernel/errors.ts';
import { locate } from '../../shared/kernel/files/paths.ts';
import type { TaskId } from '../../shared/kernel/ids.ts';
import type { Dataset } from '../../shared/science/datasets/model.ts';
import { datasetProblem } from '../../shared/science/datasets/rules.ts';
import type { AnalysisInput } from '../../shared/tasks/common/analysis/model.ts';
import type { gate } from '../../shared/tasks/gates.ts';
import type { TaskDefinition } from '../../shared/tasks/model.ts';
import type { NextPassSettings } from '../../shared/tasks/next-pass.ts';
import { AnalysisStopped, type StoredFigure } from '../analysis/pool.ts';
import { type MeasureResult, readMeasureResult, type TargetResult } from '../backends/backend.ts';
import type { FinishedMeasurement } from '../contracts/steps.ts';
import type { RecordDependencies } from './dependencies.ts';
import { readFinishedValues } from './finished-values.ts';
import { describeForeignFigures } from './foreign-figures.ts';
import { type ObservedTimes, observedTimes, type ReportedTimes } from './observed-times.ts';
import { shareOfRun } from './share.ts';

/** Number of characters of a backend's log that are kept with each result: lists of results contain them. */
const LOG_LIMIT = 2000;

/** The answer of a backend cannot be used; the task shows its message. */
class UnusableAnswer extends Error {}

/** A task whose measurement has ended, or that needs none. */
export interface ReturnedTask {
  run: HeldRun;
  row: TaskResultDocument;
  definition: TaskDefinition;
  /** Calibration state of the target. */
  target: Pick<CalibratedTarget, 'data'> | null;
  /** Null for a task that is computed from its inputs. */
  finished: FinishedMeasurement | null;
  /** Whether the task may measure once more. */
  mayMeasureAgain: boolean;
  /** Whether it may do so because its stage repeats refused tasks. */
  mayRepeat: boolean;
}

/** What an analysis found: by Calibron, or by the backend itself. */
export interface Found {
  outputs: Record<string, { value: number | null; error?: number | null }>;
  r2: number | null;
  refused?: string;
  again?: NextPassSettings;
  suggestion?: NextPassSettings;
  figures: StoredFigure[];
  /** Parts of the task's message about values and figures that were changed or ignored. */
  notes?: string[];
  /** Whether the task needs an r2 and its backend sent none: the values are stored and do not become calibration state. */
  isUnjudged?: boolean;
  definition: Parameters<typeof gate>[0] & Pick<TaskDefinition, 'outputs'>;
}

/** What a backend delivered for one target. */
export interface Delivered {
  /** Data that arrived with the answer and is not stored yet, or the file that the backend wrote it to. */
  data: Dataset | { file: string } | undefined;
  /** Further files that the backend wrote. */
  files: string[];
}

/** The readable parts of an answer. */
export interface AnalysedAnswer {
  /** When the task was measured, by our own clocks. */
  times: { start_at: Date | null; end_at: Date };
  clock: Pick<ObservedTimes, 'offset' | 'reported'>;
  /** The end of what the backend logged; empty if it logged nothing. */
  log: string;
  delivered: Delivered | null;
  /** Why the answer cannot be used, as a message; null if it can. */
  problem: string | null;
  /** Null if there is a problem. */
  found: Found | null;
}

/**
 * Reads the answer to a task and analyses its data. A task without a measurement is computed from its inputs.
 * @throws AnalysisStopped when the process stops
 */
export async function analyseAnswer(
  dependencies: RecordDependencies,
  returned: ReturnedTask,
): Promise<AnalysedAnswer> {
  const { run, row, definition, finished } = returned;
  const analysed: AnalysedAnswer = {
    times: { start_at: null, end_at: new Date() },
    clock: { offset: 0, reported: {} },
    log: '',
    delivered: null,
    problem: finished?.failure || null,
    found: null,
  };
  if (analysed.problem !== null) return analysed;
  try {
    if (!finished) {
      const found = await analyse(dependencies, returned, NOTHING_MEASURED);
      return { ...analysed, found: { ...found, definition } };
    }
    const { answer, reported } = readAnswer(finished.result, row.qid);
    const observed = observedTimes(reported, { requested: row.start_at, answered: analysed.times.end_at });
    analysed.times = { start_at: observed.start_at, end_at: observed.end_at };
    analysed.clock = observed;
    analysed.log = (reported.log ?? '').slice(-LOG_LIMIT);
    analysed.delivered = await deliveredBy(dependencies, run, finished.task_id, answer);
    analysed.found = await evaluate(dependencies, returned, answer, analysed.delivered);
  } catch (thrown) {
    if (!(thrown instanceof UnusableAnswer)) throw thrown;
    analysed.problem = thrown.message;
  }
  return analysed;
}

/** Checks the answer against the contract and picks the target's part. */
function readAnswer(
  result: unknown,
  qid: string,
): { answer: TargetResult; reported: ReportedTimes & Pick<MeasureResult, 'log'> } {
  const read = readMeasureResult(result);
  if (typeof read === 'string') throw new UnusableAnswer(read);
  const answer = read.targets[qid];
  if (!answer) throw new UnusableAnswer(`The backend's answer has nothing for target ${qid}.`);
  return { answer, reported: read };
}

async function deliveredBy(
  dependencies: RecordDependencies,
  run: HeldRun,
  taskId: TaskId,
  answer: TargetResult,
): Promise<Delivered> {
  const directory = dependencies.files.measurementDirectory(run, taskId);
  const { dataset, dataset_path } = answer;
  const files = await Promise.all((answer.raw_data ?? []).map((path) => backendFile(directory, path)));
  const limit = dependencies.settings.RAW_DATA_MIB;
  const problem = dataset === undefined ? null : datasetProblem(dataset);
  if (problem) throw new UnusableAnswer(`The backend's data is inconsistent: ${problem}.`);
  if (dataset_path === undefined) {
    await assertKeepable(files, limit);
    return { data: dataset, files };
  }
  // A file that the backend wrote is the raw data as it is; a mux has one for its qubits.
  const file = await backendFile(directory, dataset_path);
  const isFile = await stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
  // Only a file can be kept as raw data, whatever its content is.
  if (!isFile) throw new UnusableAnswer("The backend's data file cannot be read: it is not a plain file.");
  await assertKeepable([file, ...files], limit);
  return { data: { file }, files };
}

/** @param limit MiB of files that are kept of a measurement */
async function assertKeepable(files: readonly string[], limit: number): Promise<void> {
  const sizes = await Promise.all(
    [...new Set(files)].map((file) =>
      stat(file).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  );
  const mib = Math.ceil(sizes.reduce((sum, size) => sum + size, 0) / 1024 / 1024);
  if (mib <= limit) return;
  throw new UnusableAnswer(
    `The backend's files have ${mib} MiB; of a measurement at most ${limit} MiB are kept (RAW_DATA_MIB).`,
  );
}

async function evaluate(
  dependencies: RecordDependencies,
  { run, row, definition }: ReturnedTask,
  answer: TargetResult,
  { data }: Delivered,
): Promise<Found> {
  if (definition.declared && answer.outputs === undefined) {
    throw new UnusableAnswer(
      `${definition.name} is a task of the backend ${definition.declared.backend}, which must send its outputs: Calibron cannot analyse its data.`,
    );
  }
  // What a backend measures and analyses itself may come with its data, which are kept as they are.
  if (data && !definition.declared) {
    const found = await analyse(dependencies, { run, row, definition }, data);
    // The gates on record are those that decided.
    const { r2Threshold = definition.r2Threshold } = found;
    return { ...found, definition: { ...definition, r2Threshold } };
  }
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

const NOTHING_MEASURED: Dataset = { dims: {}, coordinates: {}, variables: {} };

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

/** The file that a backend names, links resolved: it must be in the directory that the backend was given. */
async function backendFile(directory: string, path: string): Promise<string> {
  const place = await locate(directory, path);
  if (typeof place === 'string' || place.inside === '') {
    throw new UnusableAnswer("The backend names a file that is not in the task's artifact_dir.");
  }
  return place.path;
}
