/** Processor time of threads. On a busy machine, wall-clock time would include the work of other threads. */
import { readFileSync, readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

/** The operating system's id of the calling thread; 0 on systems other than Linux. */
export function ownThreadId(): number {
  try {
    return Number(readlinkSync('/proc/thread-self').split('/').at(-1));
  } catch {
    return 0;
  }
}

/** Nice value. Beside a thread of normal priority, a thread with this value gets a quarter of a core. */
const BACKGROUND = 5;

/**
 * Lowers the priority of the calling thread, so that it gets little more than the processor time left by threads of normal
 * priority. Has no effect on systems other than Linux.
 */
export function giveWayToOtherThreads(): void {
  const id = ownThreadId();
  if (id !== 0) setPriority(id, BACKGROUND);
}

/** Processor time used by a thread of this process, in milliseconds; null if the system does not report it. */
export function processorTimeOf(threadId: number): number | null {
  if (threadId === 0) return null;
  try {
    const [nanoseconds = ''] = readFileSync(`/proc/self/task/${threadId}/schedstat`, 'utf8').split(' ');
    return Number(nanoseconds) / 1e6;
  } catch {
    return null;
  }
}

/** Measures a thread's processor time from now on, in milliseconds; wall-clock time if the system does not report it. */
export function processorClock(threadId: number): () => number {
  const started = processorTimeOf(threadId);
  const startedAt = performance.now();
  return () => {
    const now = started === null ? null : processorTimeOf(threadId);
    return now === null || started === null ? performance.now() - startedAt : now - started;
  };
}
