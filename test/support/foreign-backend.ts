import { NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import type { MeasureRequest } from '../../activities/backends/backend.ts';
import { backendQueue } from '../../shared/kernel/engine/workflow-ids.ts';
import type { Laboratory } from './laboratory.ts';

/** A lab's own worker, inside the test's process, which serves this backend of a laboratory until it is closed. */
export async function serveBackend(
  lab: Laboratory,
  name: string,
  measure: (request: MeasureRequest) => Promise<unknown>,
  {
    describe,
    ...options
  }: Pick<WorkerOptions, 'dataConverter' | 'maxConcurrentActivityTaskExecutions'> & {
    /** What the worker says of itself; without it the worker has no such activity. */
    describe?: () => Promise<unknown>;
  } = {},
): Promise<{ close(): Promise<void> }> {
  const connection = await NativeConnection.connect({ address: lab.settings.TEMPORAL_ADDRESS });
  const worker = await Worker.create({
    connection,
    namespace: lab.settings.TEMPORAL_NAMESPACE,
    taskQueue: backendQueue(name),
    activities: { measure, ...(describe && { describe }) },
    ...options,
  });
  const running = worker.run();
  return {
    async close() {
      worker.shutdown();
      await running;
      await connection.close();
    },
  };
}
