import { join } from 'node:path';
import type { ErrorCode } from '../../../shared/domain/errors.ts';
import { uploadedFile } from '../../../shared/domain/measurement-uploads/model.ts';
import { messageOf } from '../../../shared/kernel/errors.ts';
import { replaceFile } from '../../../shared/kernel/files/atomic-write.ts';
import { SERVICE_VERSION } from '../../../shared/kernel/service-version.ts';
import { fileAttributes } from '../../../shared/science/datasets/file-attributes.ts';
import type { Dataset } from '../../../shared/science/datasets/model.ts';
import { encodeNetcdf } from '../../../shared/science/datasets/netcdf.ts';
import { SIMULATOR_BACKEND } from '../../../shared/tasks/model.ts';
import { INLINE_DATASET_LIMIT, type MeasureRequest, type TargetResult } from '../backend.ts';

/** Maximum bytes of JSON of all inline datasets of one answer. The rest of the result limit is for paths and names. */
const INLINE_BUDGET = 48 * 1024;

/** Milliseconds that an upload may take. */
const UPLOAD_LIMIT = 60_000;

/** Error code of the API when a file cannot be stored. */
const DISK_UNAVAILABLE: ErrorCode = 'disk_unavailable';

/** Number of characters of a task id in a file name, enough to distinguish the occurrences of a task. */
const ID_LENGTH = 8;

/**
 * Delivers the data of one measurement: inline if they are small and few, otherwise as NetCDF files in the request's
 * `artifact_dir`, or uploaded to Calibron's API. A repeated measurement writes the same files.
 *
 * @param at when it was measured
 * @param uploadUrl address of the API; undefined if files are shared
 * @returns a function that delivers the data of one target, or of the targets of a readout line; `name` distinguishes them
 */
export function createDelivery(
  request: MeasureRequest,
  at: Date,
  uploadUrl?: string,
): (line: { name: string; targets: readonly string[] }, dataset: Dataset) => Promise<TargetResult> {
  let budget = INLINE_BUDGET;
  return async ({ name, targets }, dataset) => {
    const limit = Math.min(budget, INLINE_DATASET_LIMIT);
    const size = valueCount(dataset) <= limit ? JSON.stringify(dataset).length : Number.POSITIVE_INFINITY;
    if (size <= limit) {
      budget -= size;
      return { dataset };
    }
    const pass = request.pass === undefined ? '' : `_pass${request.pass}`;
    const file = `${request.task_name}_${name}_${request.task_id.slice(0, ID_LENGTH)}_${request.attempt}${pass}.nc`;
    const bytes = encodeNetcdf(dataset, attributesOf(request, targets, at));
    if (uploadUrl !== undefined) return { dataset_path: await upload(uploadUrl, request, file, bytes) };
    const path = join(request.artifact_dir, file);
    await replaceFile(path, bytes);
    return { dataset_path: path };
  };
}

/** @returns the path under which Calibron finds the file */
async function upload(
  uploadUrl: string,
  { task_id, upload_token }: MeasureRequest,
  name: string,
  content: Uint8Array,
): Promise<string> {
  const url = new URL(`${uploadUrl.replace(/\/$/, '')}/measurements/${task_id}/files/${name}`);
  const answer = await fetch(url, {
    method: 'PUT',
    headers: { authorization: `Bearer ${upload_token}`, 'content-type': 'application/octet-stream' },
    body: content,
    signal: AbortSignal.timeout(UPLOAD_LIMIT),
  }).catch((thrown: unknown) => {
    throw new Error(`The data could not be uploaded: ${messageOf(thrown)}`, { cause: thrown });
  });
  const text = await answer.text();
  if (answer.status === 503 && text.includes(DISK_UNAVAILABLE)) {
    throw new Error('The data could not be uploaded: the API has no space left on device.');
  }
  if (!answer.ok) throw new Error(`The data could not be uploaded: the API answered ${answer.status}.`);
  return uploadedFile.parse(JSON.parse(text)).path;
}

function attributesOf(request: MeasureRequest, targets: readonly string[], at: Date) {
  const own = request.target_parameters;
  const inputs =
    own === undefined
      ? request.input_parameters
      : Object.fromEntries(targets.map((qid) => [qid, own[qid] ?? {}]));
  return fileAttributes({
    source: 'Calibron simulator',
    serviceVersion: SERVICE_VERSION,
    taskName: request.task_name,
    taskType: request.task_type,
    taskId: request.task_id,
    executionId: request.execution_id,
    projectId: request.project_id,
    chipId: request.chip_id,
    targets,
    backend: SIMULATOR_BACKEND,
    pass: request.pass ?? 0,
    inputs,
    runParameters: request.run_parameters,
    begin: at.toISOString(),
    // A repeated measurement must write the same bytes.
    written: at.toISOString(),
  });
}

/** Count of numbers in a dataset: a lower bound of its size in bytes, without serialising it. */
function valueCount({ variables }: Dataset): number {
  return Object.values(variables).reduce((sum, { values }) => sum + values.length, 0);
}
