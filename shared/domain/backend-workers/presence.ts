import { activityPollers } from '../../kernel/engine/pollers.ts';
import { type Engine, withinDeadline } from '../../kernel/engine/temporal.ts';
import { backendQueue } from '../../kernel/engine/workflow-ids.ts';
import { BackendError } from './errors.ts';
import { goneBefore } from './rules.ts';
import type { BackendWorkerStore } from './store.ts';

/** Refuses runs that need a worker now. */
export function createPresence({ engine, store }: { engine: Engine; store: Pick<BackendWorkerStore, 'of'> }) {
  /** @throws no_worker when no worker serves the backend */
  return async function assertWorker(backend: string): Promise<void> {
    const polling = await withinDeadline(engine, () => activityPollers(engine, backendQueue(backend)));
    if (polling.length > 0) return;
    const seen = await store.of(backend, goneBefore(new Date()));
    if (seen.some(({ measuring }) => measuring.length > 0)) return;
    throw new BackendError(
      'no_worker',
      `No worker serves the backend ${backend}. Start its worker, or start the run without require_worker: it then waits for one.`,
    );
  };
}
