import { defineArea, type Kernel } from '../../kernel/area.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import type { Backends } from '../backends/index.ts';
import type { Executions } from '../executions/index.ts';
import { announcedTasks } from './announced-task-rules.ts';
import { createLooking } from './looking.ts';
import { backendDescription, type ConnectedWorker, connectedWorkerOf } from './model.ts';
import { createPresence } from './presence.ts';
import { goneBefore } from './rules.ts';
import { backendWorkerIndexes, createBackendWorkerStore } from './store.ts';

export type BackendWorkers = ReturnType<typeof backendWorkers.create>;

/** The workers that serve backends: which are connected, what each measures, and how it describes itself. */
export const backendWorkers = defineArea({
  name: 'backendWorkers',
  indexes: [backendWorkerIndexes],
  create({
    db,
    engine,
    backends,
    executions,
  }: Kernel & { backends: Pick<Backends, 'names' | 'noteOwnTasks'>; executions: Pick<Executions, 'store'> }) {
    const store = createBackendWorkerStore(db);
    return {
      /** Looks which workers are connected. Called at intervals. */
      look: createLooking({ engine, store, executions: executions.store, backends: backends.names }),

      /** Notes the answers of a backend's workers. An answer that does not fit counts as none. */
      async noteDescriptions(
        backend: string,
        answers: readonly { identity: string; description: unknown }[],
      ): Promise<void> {
        for (const { identity, description } of answers) {
          const read = backendDescription.safeParse(description);
          const worker = { backend, identity: read.data?.identity ?? identity };
          const at = new Date();
          if (!read.success) {
            await store.describe(worker, null, at);
            continue;
          }
          const { tasks, own } = announcedTasks(read.data.tasks);
          await backends.noteOwnTasks(backend, own, at);
          await store.describe(worker, { ...read.data, tasks }, at);
        }
      },

      /** The connected workers of a backend, as members of these projects see them. */
      async connected(backend: string, projectIds: readonly ProjectId[]): Promise<ConnectedWorker[]> {
        const own = new Set(projectIds);
        const found = await store.of(backend, goneBefore(new Date()));
        return found.map((worker) => connectedWorkerOf(worker, own));
      },

      assertWorker: createPresence({ engine, store }),
    };
  },
});
