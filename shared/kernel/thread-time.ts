/** Processor time of threads: on a busy machine a clock on the wall blames a thread for what others did. */
import { readFileSync, readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

/** By what the system knows the calling thread; 0 where it does not tell (all but Linux). */
export function ownThreadId(): number {
  try {
    return Number(readlinkSync('/proc/thread-self').split('/').at(-1));
  } catch {
    return 0;
  }
}

/** Of `nice`: next to a thread of normal priority, one with this value gets a quarter of a core. */
const BACKGROUND = 5;

/**
 * Lets threads of normal priority go before the calling one, which then gets what they leave and a little more. Without
 * effect where the system does not know single threads (all but Linux).
 */
export function giveWayToOtherThreads(): void {
  const id = ownThreadId();
  if (id !== 0) setPriority(id, BACKGROUND);
}

/** Milliseconds of processor time that a thread of this process has had; null where the system does not tell. */
export function processorTimeOf(threadId: number): number | null {
  if (threadId === 0) return null;
  try {
    const [nanoseconds = ''] = readFileSync(`/proc/self/task/${threadId}/schedstat`, 'utf8').split(' ');
    return Number(nanoseconds) / 1e6;
  } catch {
    return null;
  }
}

/** Counts the milliseconds of processor time of a thread from now on; where the system does not tell, of the clock. */
export function processorClock(threadId: number): () => number {
  const started = processorTimeOf(threadId);
  const startedAt = performance.now();
  return () => {
    const now = started === null ? null : processorTimeOf(threadId);
    return now === null || started === null ? performance.now() - startedAt : now - started;
  };
}
