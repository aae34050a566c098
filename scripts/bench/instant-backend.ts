import { NativeConnection, Worker } from '@temporalio/worker';
import type { MeasureRequest } from '../../activities/backends/backend.ts';
import { backendQueue } from '../../shared/kernel/engine/workflow-ids.ts';
import type { Laboratory } from '../../test/support/laboratory.ts';

/** Name of the backend that {@link withInstantBackend} serves. */
export const INSTANT_BACKEND = 'nothing';

/** Result of a backend that takes no time and analyses nothing, so that only the engine's own cost is measured. */
export function nothing(request: MeasureRequest) {
  const started_at = new Date().toISOString();
  const answer = { outputs: { t1: { value: 40, error: 1 } }, quality: { r2: 0.99 } };
  return { started_at, targets: Object.fromEntries(request.targets.map((qid) => [qid, answer])) };
}

/** Runs `body` while a worker in this process serves the instant backend. @param answer the backend's results */
export async function withInstantBackend<T>(
  lab: Laboratory,
  body: () => Promise<T>,
  answer: (request: MeasureRequest) => unknown = nothing,
): Promise<T> {
  const connection = await NativeConnection.connect({ address: lab.settings.TEMPORAL_ADDRESS });
  const backend = await Worker.create({
    connection,
    namespace: lab.settings.TEMPORAL_NAMESPACE,
    taskQueue: backendQueue(INSTANT_BACKEND),
    activities: { measure: async (request: MeasureRequest) => answer(request) },
  });
  const running = backend.run();
  try {
    return await body();
  } finally {
    backend.shutdown();
    await running;
    await connection.close();
  }
}
