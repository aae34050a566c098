import { fileURLToPath } from 'node:url';
import { NativeConnection, Worker } from '@temporalio/worker';
import { newId } from '../../shared/kernel/new-ids.ts';
import type { Laboratory } from '../../test/support/laboratory.ts';
import type { bare } from './bare-workflow.ts';

/** Queue of the workflow, and of activities executed by the same worker. */
const QUEUE = 'bare';
/** Queue of another worker. */
const ELSEWHERE = 'bare-elsewhere';

/** Activities that do nothing: a lower bound for the cost of a task on this engine under the current load. */
export interface BareActivities {
  /**
   * Runs `count` activities one after another on each of `parallel` lanes.
   * @param elsewhere executes them in another worker, like a foreign backend's, which rules out eager execution
   * @returns milliseconds
   */
  run(count: number, parallel: number, elsewhere?: boolean): Promise<number>;
}

/** Runs `body` while a worker in this process serves bare activities. */
export async function withBareActivities<T>(
  lab: Laboratory,
  body: (activities: BareActivities) => Promise<T>,
): Promise<T> {
  const connection = await NativeConnection.connect({ address: lab.settings.TEMPORAL_ADDRESS });
  const common = {
    connection,
    namespace: lab.settings.TEMPORAL_NAMESPACE,
    activities: { nothing: async () => undefined },
  };
  const workers = await Promise.all([
    Worker.create({
      ...common,
      taskQueue: QUEUE,
      workflowsPath: fileURLToPath(new URL('bare-workflow.ts', import.meta.url)),
    }),
    Worker.create({ ...common, taskQueue: ELSEWHERE }),
  ]);
  const running = Promise.all(workers.map((worker) => worker.run()));
  try {
    return await body({
      async run(count, parallel, elsewhere = false) {
        const requestedAt = performance.now();
        await lab.engine.client.workflow.execute<typeof bare>('bare', {
          taskQueue: QUEUE,
          workflowId: `bare-${newId()}`,
          args: [count, parallel, elsewhere ? ELSEWHERE : QUEUE],
        });
        return performance.now() - requestedAt;
      },
    });
  } finally {
    for (const worker of workers) worker.shutdown();
    await running;
    await connection.close();
  }
}
