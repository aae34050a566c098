import { buffer } from 'node:stream/consumers';
import type { Engine } from '../../kernel/engine/temporal.ts';
import { CalibronError } from '../../kernel/errors.ts';
import { QueueFull } from '../../kernel/fair-queue.ts';
import type { ProjectId, TaskId, UserId } from '../../kernel/ids.ts';
import { createLimitedThreads, JobOverLimit } from '../../kernel/limited-threads.ts';
import { compiledModule } from '../../kernel/package-root.ts';
import type { Dataset } from '../../science/datasets/model.ts';
import type { Figure } from '../../science/figures/model.ts';
import { findTask } from '../../tasks/catalog.ts';
import type { AnalysisInput } from '../../tasks/common/analysis/model.ts';
import type { TaskDefinition } from '../../tasks/model.ts';
import { runOptionProblems } from '../../tasks/run-options.ts';
import { type RunParameterOverrides, resolveRunParameters } from '../../tasks/run-parameters.ts';
import type { Artifacts } from '../artifacts/index.ts';
import type { Backends } from '../backends/index.ts';
import type { Chips } from '../chips/index.ts';
import type { Executions } from '../executions/index.ts';
import type { TaskResultStore } from '../results/index.ts';
import type { TaskResultDocument } from '../results/model.ts';
import type { Reanalysed } from './model.ts';
import { createOwnAnalyses } from './own-analyses.ts';
import { type Reanalysable, SENT_DATA_LIMIT } from './rules.ts';

/** Job sent to a thread. */
export interface ReanalysisJob extends Pick<AnalysisInput, 'qid' | 'inputs' | 'runParameters'> {
  bytes: Uint8Array;
  taskName: string;
}

export type ReanalysisAnswer =
  | { figure: Figure; values: Readonly<Record<string, { value: number }>> }
  /** The data of a task that a lab's worker analyses. */
  | { dataset: Dataset }
  | { isTooLarge: true }
  | { problem: string }
  /** The reason why the run parameters do not fit the data. */
  | { unfitParameters: string };

/** The map of the largest sweep takes two seconds and a tenth of the memory limit. */
const LIMITS = { threads: 1, waiting: 20, processorMs: 20_000, memoryMb: 512, idleMs: 60_000 };
/** Maximum bytes of raw data for a reanalysis. */
const MAX_FILE = 64 * 1024 * 1024;

interface Dependencies {
  engine: Engine;
  artifacts: Pick<Artifacts, 'open'>;
  backends: Pick<Backends, 'tasksOf'>;
  executions: Pick<Executions, 'store'>;
  chips: Pick<Chips, 'readTarget'>;
  results: Pick<TaskResultStore, 'get' | 'newestEnded'>;
}

/** The result to analyse again, the user who asks for it, and the run parameters that replace the result's own. */
export interface ReanalysisOrder {
  projectId: ProjectId;
  userId: UserId;
  chipId: string;
  qid: string;
  sourceTaskId: TaskId | null | undefined;
  overrides: RunParameterOverrides;
}

/** The result of a lab's own task to analyse again, and the run parameters that replace the result's own. */
export type OwnReanalysisOrder = Pick<ReanalysisOrder, 'projectId' | 'userId' | 'overrides'> & {
  taskId: TaskId;
};

/** Analyses stored data again, without writing anything. */
export function createReanalysing(dependencies: Dependencies) {
  const { engine, artifacts, backends, chips, executions, results } = dependencies;
  const ownAnalyses = createOwnAnalyses({ engine });
  const threads = createLimitedThreads<ReanalysisJob, ReanalysisAnswer>(
    compiledModule('shared/domain/reanalysis/thread.ts'),
    LIMITS,
  );

  async function sourceOf(order: ReanalysisOrder, name: string): Promise<TaskResultDocument> {
    const { projectId, chipId, qid, sourceTaskId } = order;
    await chips.readTarget('qubit', projectId, chipId, qid);
    if (!sourceTaskId) {
      const [newest] = await results.newestEnded(projectId, { chip_id: chipId, name, qid });
      if (newest) return newest;
      throw new CalibronError('not_found', `There is no result of ${name} on this qubit.`);
    }
    const source = await results.get(projectId, sourceTaskId);
    if (!source) throw new CalibronError('not_found', 'There is no such task result in this project.');
    if (source.chip_id === chipId && source.qid === qid && source.name === name) return source;
    throw new CalibronError('bad_request', `This result is not one of ${name} on this qubit.`);
  }

  /** The task's measured data. The figure is not used, because it contains marks of the first analysis. */
  async function dataOf({ project_id, raw_data_path }: TaskResultDocument): Promise<Uint8Array> {
    const path = raw_data_path.find((each) => /\.nc$/i.test(each));
    if (path === undefined) throw new CalibronError('conflict', 'This result has no raw data to analyse.');
    const file = await artifacts.open(path, { kinds: ['.nc'], project: project_id }).catch((thrown) => {
      if (!(thrown instanceof CalibronError)) throw thrown;
      throw new CalibronError('gone', 'The raw data of this result is gone.');
    });
    if (file.size <= MAX_FILE) return buffer(file.content());
    await file.handle.close();
    throw new CalibronError('too_large', 'Raw data of more than 64 MiB is not analysed again.');
  }

  async function analysed(
    { user, source }: { user: string; source: TaskResultDocument },
    job: Omit<ReanalysisJob, 'bytes'>,
  ): Promise<ReanalysisAnswer> {
    try {
      // Files are large, so a file is read only when its job starts.
      return await threads.runMade({ user, project: source.project_id }, async () => ({
        ...job,
        bytes: await dataOf(source),
      }));
    } catch (thrown) {
      if (thrown instanceof JobOverLimit) {
        throw new CalibronError('too_large', 'This data takes too much time or memory to analyse.');
      }
      if (!(thrown instanceof QueueFull)) throw thrown;
      throw new CalibronError('too_many_requests', 'Too much data is being analysed; try again.', {
        retryAfter: 5,
      });
    }
  }

  return {
    /**
     * A preview of a spectroscopy's result with other run parameters: the request's, else those of the measurement, else
     * the catalog's.
     * @throws not_found, bad_request, conflict without raw data, gone, unreadable_file, invalid_parameters, too_large,
     *   too_many_requests
     */
    async preview(
      { task: name, outputs, whenMissing }: Reanalysable,
      order: ReanalysisOrder,
    ): Promise<Reanalysed> {
      const task = findTask(name);
      if (!task) throw new Error(`the catalog has no ${name}`);
      const source = await sourceOf(order, name);
      const answer = await analysed({ user: order.userId, source }, jobOf(task, source, order.overrides));
      if ('unfitParameters' in answer) {
        throw new CalibronError('invalid_parameters', `${answer.unfitParameters}.`);
      }
      if (!('values' in answer))
        throw unreadable('problem' in answer ? answer.problem : 'it was not analysed');
      return {
        source_task_id: source.task_id,
        source_task_name: source.name,
        qid: source.qid,
        figure: { ...answer.figure },
        output_parameters: Object.entries(outputs).flatMap(([output, shown]) => {
          const value = answer.values[output]?.value ?? whenMissing;
          const unit = task.outputs[output]?.unit ?? '';
          return value === undefined ? [] : [{ name: shown, value, unit }];
        }),
        committed: false,
      };
    },

    /**
     * A preview of the result of a task that a backend declares: one of its workers analyses the stored data again.
     * @throws not_found, bad_request for a task of the catalog, conflict without raw data or if no worker can analyse it, gone,
     *   unreadable_file, invalid_parameters, too_large, too_many_requests
     */
    async previewOwn({ projectId, userId, taskId, overrides }: OwnReanalysisOrder): Promise<Reanalysed> {
      const source = await results.get(projectId, taskId);
      if (!source) throw new CalibronError('not_found', 'There is no such task result in this project.');
      const execution = await executions.store.get(projectId, source.execution_id);
      const backend = execution?.backend ?? '';
      const task = (await backends.tasksOf(projectId)).find(source.name, backend);
      if (task?.declared?.backend !== backend) {
        throw new CalibronError(
          'bad_request',
          `${source.name} is no task that the backend ${backend} declares; only those are analysed by a worker of a backend.`,
        );
      }
      const job = jobOf(task, source, overrides);
      const wrong = runOptionProblems(task, job.runParameters);
      if (wrong.length > 0) throw new CalibronError('invalid_parameters', wrong.join(' '));
      const read = await analysed({ user: userId, source }, job);
      if ('isTooLarge' in read) {
        throw new CalibronError(
          'too_large',
          `Raw data of more than ${SENT_DATA_LIMIT / 1024} KiB is not sent to a worker; use calibron backend analyse where the backend's code is.`,
        );
      }
      if (!('dataset' in read)) throw unreadable('problem' in read ? read.problem : 'it is of another kind');
      const { figure, outputs } = await ownAnalyses.run(task, {
        source,
        dataset: read.dataset,
        input_parameters: job.inputs,
        run_parameters: job.runParameters,
      });
      return {
        source_task_id: source.task_id,
        source_task_name: source.name,
        qid: source.qid,
        figure,
        output_parameters: outputs,
        committed: false,
      };
    },

    /** Stops the threads. */
    close: () => threads.destroy(),
  };
}

/** @throws invalid_parameters */
function jobOf(
  task: TaskDefinition,
  source: TaskResultDocument,
  overrides: RunParameterOverrides,
): Omit<ReanalysisJob, 'bytes'> {
  const { parameters, problems } = resolveRunParameters(task, [source.run_parameters, overrides]);
  if (problems.length > 0) throw new CalibronError('invalid_parameters', problems.join(' '));
  const inputs = Object.fromEntries(
    Object.entries(source.input_parameters).flatMap(([input, { value, value_type, unit, error }]) =>
      value === null ? [] : [[input, { value, value_type, unit, error: error ?? null }] as const],
    ),
  );
  return { taskName: task.name, qid: source.qid, inputs, runParameters: parameters };
}

function unreadable(problem: string): CalibronError {
  return new CalibronError('unreadable_file', `The data cannot be analysed: ${problem}.`);
}
