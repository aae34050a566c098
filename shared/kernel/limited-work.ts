import { ownThreadId } from './thread-time.ts';

/** A job on its way to a thread of limited-threads.ts, with a cell in which the thread notes its number. */
export interface Sent<Job> {
  job: Job;
  threadId: Int32Array;
}

/** In the cell of a job that no thread has taken. */
export const NOT_TAKEN = -1;

/** Makes the function that a thread's file exports by default. */
export function limitedWork<Job, Answer>(
  work: (job: Job) => Answer | Promise<Answer>,
): (sent: Sent<Job>) => Answer | Promise<Answer> {
  return ({ job, threadId }) => {
    Atomics.store(threadId, 0, ownThreadId());
    return work(job);
  };
}
