import { join } from 'node:path';
import { replaceFile } from '../../../shared/kernel/files/atomic-write.ts';
import type { Dataset } from '../../../shared/science/datasets/model.ts';
import { encodeNetcdf } from '../../../shared/science/datasets/netcdf.ts';
import { INLINE_DATASET_LIMIT, type MeasureRequest, type TargetResult } from '../backend.ts';

/** JSON of all inline datasets of one answer; what is left to the limit of a result is for paths and names. */
const INLINE_BUDGET = 48 * 1024;

/** Characters of a task id in a file name: enough to tell the occurrences of a task apart. */
const ID_LENGTH = 8;

/**
 * How the data of one measurement reaches whoever asked: inline as long as they are small and few, else as NetCDF
 * files in the request's `artifact_dir`. A repeated measurement writes the same files.
 *
 * @returns gives the data of one target, or of one readout line; `name` tells them apart
 */
export function createDelivery(
  request: MeasureRequest,
): (name: string, dataset: Dataset) => Promise<TargetResult> {
  let budget = INLINE_BUDGET;
  return async (name, dataset) => {
    const limit = Math.min(budget, INLINE_DATASET_LIMIT);
    const size = valueCount(dataset) <= limit ? JSON.stringify(dataset).length : Number.POSITIVE_INFINITY;
    if (size <= limit) {
      budget -= size;
      return { dataset };
    }
    const pass = request.pass === undefined ? '' : `_pass${request.pass}`;
    const file = `${request.task_name}_${name}_${request.task_id.slice(0, ID_LENGTH)}_${request.attempt}${pass}.nc`;
    const path = join(request.artifact_dir, file);
    const bytes = encodeNetcdf(dataset, {
      title: `${request.task_name} of ${name}`,
      source: 'Calibron simulator',
      task_name: request.task_name,
      task_id: request.task_id,
      execution_id: request.execution_id,
      project_id: request.project_id,
      chip_id: request.chip_id,
      run_parameters: JSON.stringify(request.run_parameters),
    });
    await replaceFile(path, bytes);
    return { dataset_path: path };
  };
}

/** Numbers of a dataset: as many bytes at least, told without writing them. */
function valueCount({ variables }: Dataset): number {
  return Object.values(variables).reduce((sum, { values }) => sum + values.length, 0);
}
