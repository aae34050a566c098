import { isAbsolute, join } from 'node:path';
import { parseExecutionId } from './id-rules.ts';
import type { ExecutionDocument } from './model.ts';

/** `<project_id>/<chip_id>/<YYYYMMDD>/<NNN>`: directory of an execution's files, relative to the calibration data root. */
export function executionFolder(
  execution: Pick<ExecutionDocument, 'project_id' | 'chip_id' | 'execution_id'>,
): string {
  const { project_id, chip_id, execution_id } = execution;
  const id = parseExecutionId(execution_id);
  return join(project_id, chip_id, ...(id ? [id.day, id.index] : [execution_id]));
}

/** The directory of an execution's files under a calibration data root. */
export function executionDirectory(
  root: string,
  execution: Pick<ExecutionDocument, 'project_id' | 'chip_id' | 'execution_id'>,
): string {
  return join(root, executionFolder(execution));
}

/**
 * A path of a chip's file as it is stored: relative to the calibration data root, so that the data may move. The root that an
 * absolute path was written under does not matter. A path that is in no directory of the chip stays as it is.
 */
export function storedFilePath(
  path: string,
  { project_id, chip_id }: Pick<ExecutionDocument, 'project_id' | 'chip_id'>,
): string {
  const at = path.lastIndexOf(`/${project_id}/${chip_id}/`);
  return at < 0 ? path : path.slice(at + 1);
}

/** Stored paths of a chip's files as clients see them: absolute, under the current calibration data root. */
export function shownFilePaths(
  root: string,
  paths: readonly string[],
  chip: Pick<ExecutionDocument, 'project_id' | 'chip_id'>,
): string[] {
  return paths.map((path) => {
    const stored = storedFilePath(path, chip);
    return isAbsolute(stored) ? stored : join(root, stored);
  });
}
