/** From prepare to the backend: the request for a measurement. */
import { ANALYSIS_FILE_LIMIT } from '../../shared/domain/backends/answer-rules.ts';
import type { TaskResultDocument } from '../../shared/domain/results/model.ts';
import { type TaskId, userIdSchema } from '../../shared/kernel/ids.ts';
import type { RecordOutput } from '../contracts/steps.ts';
import type { RecordDependencies } from './dependencies.ts';
import type { Task } from './plans.ts';
import { measurementOf } from './preparing.ts';
import type { Step } from './step.ts';

const MIB = 1024 * 1024;

/** Makes the requests that backends receive. */
export function createMeasurementRequests(dependencies: RecordDependencies) {
  const { areas, files, heartbeatTimeout } = dependencies;

  /** The measurement request for rows that are in the same pass. */
  async function requestFor(
    { input: { run } }: Step,
    task: Task,
    { taskId, rows }: { taskId: TaskId; rows: readonly TaskResultDocument[] },
  ): Promise<RecordOutput['next']> {
    const shortage = await areas.diskSpace.shortage();
    const directory = await files.makeMeasurementDirectory(run, taskId);
    const measurement = measurementOf(run, task, { taskId, rows, directory });
    const upload_token = await areas.measurementUploads.tokenOf({
      project_id: run.project_id,
      task_id: taskId,
      rows: rows.map((row) => row.task_id),
      share_user_id: userIdSchema.parse(run.share_user_id ?? run.user_id),
    });
    const raw_data_limit = dependencies.settings.RAW_DATA_MIB * MIB;
    const limits = { raw_data_limit, analysis_limit: ANALYSIS_FILE_LIMIT };
    const request = { ...measurement.request, upload_token, ...limits };
    return {
      ...measurement,
      request,
      heartbeat_timeout: await heartbeatTimeout(run.backend, task.definition.name),
      ...(shortage === null ? {} : { shortage }),
    };
  }

  return { requestFor };
}
