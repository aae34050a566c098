import { fileURLToPath } from 'node:url';
import { NativeConnection, Worker } from '@temporalio/worker';
import { newId } from '../../shared/kernel/ids.ts';
import type { Laboratory } from '../../test/support/laboratory.ts';
import type { bare } from './bare-workflow.ts';

const QUEUE = 'bare';

/** Activities that do nothing, as the least that a task could cost on this engine in this minute. */
export interface BareActivities {
  /** Runs `count` activities one after another on each of `parallel` lanes. @returns milliseconds */
  run(count: number, parallel: number): Promise<number>;
}

/** Runs `body` while a worker in this process serves bare activities. */
export async function withBareActivities<T>(
  lab: Laboratory,
  body: (activities: BareActivities) => Promise<T>,
): Promise<T> {
  const connection = await NativeConnection.connect({ address: lab.settings.TEMPORAL_ADDRESS });
  const worker = await Worker.create({
    connection,
    namespace: lab.settings.TEMPORAL_NAMESPACE,
    taskQueue: QUEUE,
    workflowsPath: fileURLToPath(new URL('bare-workflow.ts', import.meta.url)),
    activities: { nothing: async () => undefined },
  });
  const running = worker.run();
  try {
    return await body({
      async run(count, parallel) {
        const asked = performance.now();
        await lab.engine.client.workflow.execute<typeof bare>('bare', {
          taskQueue: QUEUE,
          workflowId: `bare-${newId()}`,
          args: [count, parallel],
        });
        return performance.now() - asked;
      },
    });
  } finally {
    worker.shutdown();
    await running;
    await connection.close();
  }
}
