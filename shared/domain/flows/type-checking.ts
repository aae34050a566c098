import { CalibronError } from '../../kernel/errors.ts';
import { QueueFull, type Share } from '../../kernel/fair-queue.ts';
import { createLimitedThreads, JobOverLimit, type ThreadLimits } from '../../kernel/limited-threads.ts';
import { compiledModule } from '../../kernel/package-root.ts';
import type { FlowProblem } from './problem-model.ts';

/** The first check of a thread takes a second, later ones 0.1 s. */
const LIMITS = { threads: 1, processorMs: 5000, memoryMb: 256, idleMs: 30_000 };
/** Maximum number of waiting checks, in total and per user. Users take turns. */
const QUEUE = { threadsPerUser: 1, waiting: 100, waitingPerUser: 20 };

/** Finds misspelt names in flows. A thread does it within limits: the types of a flow may take any time and memory to check. */
export function createTypeChecking(limits: Partial<ThreadLimits> = {}) {
  const threads = createLimitedThreads<{ source: string }, FlowProblem[]>(
    compiledModule('shared/domain/flows/type-thread.ts'),
    { ...LIMITS, ...QUEUE, ...limits },
  );
  return {
    /**
     * As {@link unknownNameProblems}. A flow whose types exceed the limits passes: it runs without its types.
     * @throws too_many_requests
     */
    async problemsOf(share: Share, source: string): Promise<FlowProblem[]> {
      try {
        return await threads.run(share, { source });
      } catch (thrown) {
        if (thrown instanceof JobOverLimit) return [];
        if (!(thrown instanceof QueueFull)) throw thrown;
        throw new CalibronError('too_many_requests', 'Too many flows are being checked; try again.', {
          retryAfter: 5,
        });
      }
    },

    /** Ends the thread. */
    close: () => threads.destroy(),
  };
}
