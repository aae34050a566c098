import { processorClock } from '../../shared/kernel/thread-time.ts';

/**
 * Checks whether a stretch of script has used up its processor time or must stop. It is called thousands of times a second.
 * Processor time never exceeds wall-clock time, so it reads the processor time only when the limit could be reached.
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

  /** Why the script must stop; null while it may continue. */
  end(): 'time' | 'stopped' | null {
    if (this.#isStopped()) return 'stopped';
    if (performance.now() < this.#nextLook) return null;
    const left = this.#limitMs - this.#spent();
    if (left <= 0) return 'time';
    this.#nextLook = performance.now() + Math.max(1, left);
    return null;
  }
}
