import { join } from 'node:path';
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
