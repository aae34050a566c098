import { processorClock } from '../../shared/kernel/thread-time.ts';

/**
 * Tells when a stretch of script has had its processor time, or shall stop. It is asked thousands of times a second, so it
 * looks no sooner than the time could be over: no thread has more processor time than the clock on the wall shows.
 */
export class Stretch {
  readonly #limitMs: number;
  readonly #spent: () => number;
  readonly #isStopped: () => boolean;
  #nextLook: number;

  constructor(limitMs: number, threadId: number, isStopped: () => boolean) {
    this.#limitMs = limitMs;
    this.#spent = processorClock(threadId);
    this.#isStopped = isStopped;
    this.#nextLook = performance.now() + limitMs;
  }

  get spentMs(): number {
    return this.#spent();
  }

  /** Why the script shall not go on, null while it may. */
  end(): 'time' | 'stopped' | null {
    if (this.#isStopped()) return 'stopped';
    if (performance.now() < this.#nextLook) return null;
    const left = this.#limitMs - this.#spent();
    if (left <= 0) return 'time';
    this.#nextLook = performance.now() + Math.max(1, left);
    return null;
  }
}
