import type { Context } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test } from 'vitest';
import { backendQueue, CALIBRATION_QUEUE } from '../../shared/kernel/engine/workflow-ids.ts';
import { installationInterceptor } from '../../workers/installation-interceptor.ts';

/** An installation whose store is unavailable, so that only measurements are admitted. */
const withoutStore = {
  admit: async () => Promise.reject(new Error('connect ECONNREFUSED')),
  admitMeasurement: async () => undefined,
};

/** What an activity on this queue answers if the interceptor admits it. */
function runOn(taskQueue: string): Promise<unknown> {
  const interceptor = installationInterceptor(withoutStore);
  const environment = new MockActivityEnvironment(
    { taskQueue },
    { interceptors: [(context: Context) => interceptor(context)] },
  );
  return environment.run(async () => 'done');
}

test('a measurement starts while the store is unavailable', async () => {
  expect(await runOn(backendQueue('simulator'))).toBe('done');
});

test('record keeping does not start while the store is unavailable, and is retried', async () => {
  await expect(runOn(CALIBRATION_QUEUE)).rejects.toMatchObject({
    type: 'WorkerShutdown',
    nonRetryable: false,
    message: 'connect ECONNREFUSED',
  });
});
