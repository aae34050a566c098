import { proxyActivities } from '@temporalio/workflow';

const { nothing } = proxyActivities<{ nothing(): Promise<void> }>({ startToCloseTimeout: '1 minute' });

/** Activities that do nothing: `count` of them one after another on each of `parallel` lanes. */
export async function bare(count: number, parallel: number): Promise<void> {
  const lane = async () => {
    for (let done = 0; done < count; done += 1) await nothing();
  };
  await Promise.all(Array.from({ length: parallel }, lane));
}
