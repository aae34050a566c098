import type { Engine } from '../../kernel/engine/temporal.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import type { ExecutionStore } from '../executions/index.ts';
import { lastingHolderOf } from './holder.ts';
import type { LockStatus } from './model.ts';
import { lockStatusOf } from './wire.ts';

/**
 * Whether a run holds the project, and which one. The engine decides `lock`; the other fields come from the holder's execution,
 * or from the project's newest execution when there is no holder. If the holder's execution is not stored yet, only its id is
 * returned, because fields of another run would be wrong. Waits for a run that has already recorded its end, as the start of the
 * next run does.
 */
export async function readLockStatus(
  { engine, executions }: { engine: Engine; executions: Pick<ExecutionStore, 'get' | 'latest'> },
  projectId: ProjectId,
): Promise<LockStatus> {
  const holder = await lastingHolderOf(engine, executions, projectId);
  const execution = holder
    ? await executions.get(projectId, holder.execution_id)
    : await executions.latest(projectId);
  return lockStatusOf(holder, execution);
}
