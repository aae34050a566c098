import { setTimeout as sleep } from 'node:timers/promises';
import type { Areas } from '../../shared/domain/areas.ts';
import { isEndStatus } from '../../shared/domain/executions/status-rules.ts';
import type { ExecutionId, ProjectId } from '../../shared/kernel/ids.ts';
import type { RunSnapshot, StageProgress } from './progress.ts';

const POLL_MS = 250;

/** Polls an execution until it ends or the signal aborts. If the store is unavailable, waits for it. */
export async function* watchExecution(
  { executions, results }: Pick<Areas, 'executions' | 'results'>,
  projectId: ProjectId,
  executionId: ExecutionId,
  signal: AbortSignal,
): AsyncGenerator<RunSnapshot> {
  const { store, commands } = executions;

  async function look(): Promise<RunSnapshot> {
    const execution = await store.get(projectId, executionId);
    const planned = (await commands.ofExecution(projectId, executionId)).filter(
      ({ kind }) => kind === 'stage',
    );
    const stages = await Promise.all(
      planned.map(async (stage): Promise<StageProgress> => {
        const counts = await results.countByStatus(projectId, executionId, stage.index);
        return {
          name: stage.name,
          total: stage.tasks.length * stage.targets.length,
          done: counts.get('completed') ?? 0,
          failed: counts.get('failed') ?? 0,
          skipped: counts.get('skipped') ?? 0,
          startedAt: stage.created_at,
          endedAt: stage.answered_at,
        };
      }),
    );
    const status = execution?.status ?? 'scheduled';
    return { status, message: execution?.message ?? null, stages, ended: isEndStatus(status) };
  }

  while (!signal.aborted) {
    const snapshot = await look().catch(() => null);
    if (snapshot) yield snapshot;
    if (snapshot?.ended) return;
    await sleep(POLL_MS, undefined, { signal }).catch(() => {});
  }
}
