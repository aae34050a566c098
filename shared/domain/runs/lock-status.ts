import type { Engine } from '../../kernel/engine/temporal.ts';
import type { ExecutionStore } from '../executions/index.ts';
import { lastingHolderOf } from './holder.ts';
import type { LockStatus } from './model.ts';
import { lockStatusOf } from './wire.ts';

/**
 * Whether a run holds the project, and which. The engine decides `lock`; the rest is the holder's, without a holder
 * the project's newest execution's. A holder whose execution is not stored yet has nothing but its id: another run's
 * chip beside that id would be wrong. One that has told its end is waited for, as by whoever starts the next run.
 */
export async function readLockStatus(
  { engine, executions }: { engine: Engine; executions: Pick<ExecutionStore, 'get' | 'latest'> },
  projectId: string,
): Promise<LockStatus> {
  const holder = await lastingHolderOf(engine, executions, projectId);
  const execution = holder
    ? await executions.get(projectId, holder.execution_id)
    : await executions.latest(projectId);
  return lockStatusOf(holder, execution);
}
