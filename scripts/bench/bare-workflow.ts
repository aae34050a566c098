import { proxyActivities } from '@temporalio/workflow';

/** Runs activities that do nothing on the given queue: `count` of them one after another on each of `parallel` lanes. */
export async function bare(count: number, parallel: number, taskQueue: string): Promise<void> {
  const { nothing } = proxyActivities<{ nothing(): Promise<void> }>({
    taskQueue,
    startToCloseTimeout: '1 minute',
  });
  const lane = async () => {
    for (let done = 0; done < count; done += 1) await nothing();
  };
  await Promise.all(Array.from({ length: parallel }, lane));
}
