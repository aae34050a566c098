import { ownThreadId } from './thread-time.ts';

/** A job sent to a thread of limited-threads.ts, with a shared cell in which the thread stores its id. */
export interface Sent<Job> {
  job: Job;
  threadId: Int32Array;
}

/** Value of the cell until a thread takes the job. */
export const NOT_TAKEN = -1;

/** Creates the default export of a thread's module. */
export function limitedWork<Job, Answer>(
  work: (job: Job) => Answer | Promise<Answer>,
): (sent: Sent<Job>) => Answer | Promise<Answer> {
  return ({ job, threadId }) => {
    Atomics.store(threadId, 0, ownThreadId());
    return work(job);
  };
}
