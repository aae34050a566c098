import type { Engine } from '../../kernel/engine/temporal.ts';
import { CalibronError } from '../../kernel/errors.ts';
import type { UserId } from '../../kernel/ids.ts';
import { isServiceAccount } from '../../kernel/owning-user.ts';
import { type SharingAccount, shareUserId } from '../../kernel/sharing-accounts.ts';
import { calendarDay } from '../../kernel/time.ts';
import type { ExecutionStore } from '../executions/index.ts';
import type { Flows } from '../flows/index.ts';
import { projectBusy } from './busy-rules.ts';
import { lastingHolderOf } from './holder.ts';
import type { RunIdentity } from './run-model.ts';
import type { CheckedRun, RunOrder } from './run-order.ts';

/** Reserves execution ids for new runs. */
export function createReservation({
  engine,
  executions,
  flows,
  accountOf,
  timezone,
}: {
  engine: Engine;
  executions: ExecutionStore;
  flows: Pick<Flows, 'pin'>;
  /** An account by its id. */
  accountOf(userId: UserId): Promise<SharingAccount | null>;
  timezone: string;
}) {
  /** The user whose share a service account uses; null for a person. */
  async function shareOf(userId: UserId): Promise<string | null> {
    const account = isServiceAccount(userId) ? await accountOf(userId) : null;
    return account && shareUserId(account);
  }

  /** Reserves an execution id for a new run. @throws project_busy, conflict when the code of its flow no longer exists */
  async function reserve(
    { projectId, user, trigger = 'api', priority = 0 }: RunOrder,
    { run, request }: CheckedRun,
  ): Promise<RunIdentity> {
    const { flow } = request;
    const [holder, isPinned] = await Promise.all([
      lastingHolderOf(engine, executions, projectId),
      flow ? flows.pin(projectId, flow.name, flow.hash) : true,
    ]);
    if (holder && priority === 0) throw projectBusy(holder, 'start again');
    if (!isPinned) {
      throw new CalibronError('conflict', 'The code of the flow was replaced or deleted. Start again.');
    }
    const day = calendarDay(new Date(), timezone);
    const where = { project_id: projectId, chip_id: run.chip_id, day };
    const share = await shareOf(user._id);
    return {
      project_id: projectId,
      execution_id: await executions.reserve(where, request),
      chip_id: run.chip_id,
      name: run.name,
      user_id: user._id,
      username: user.username,
      ...(share !== null && { share_user_id: share }),
      backend: run.backend,
      trigger,
      tags: run.tags,
      ...(holder && { preempts: holder.execution_id }),
    };
  }

  return { reserve };
}
