import { join } from 'node:path';
import { parseExecutionId } from './id-rules.ts';
import type { ExecutionDocument } from './model.ts';

/** `<root>/<project_id>/<chip_id>/<YYYYMMDD>/<NNN>`: directory of an execution's files. */
export function executionDirectory(
  root: string,
  execution: Pick<ExecutionDocument, 'project_id' | 'chip_id' | 'execution_id'>,
): string {
  const { project_id, chip_id, execution_id } = execution;
  const id = parseExecutionId(execution_id);
  return join(root, project_id, chip_id, ...(id ? [id.day, id.index] : [execution_id]));
}
