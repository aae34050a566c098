/**
 * Caches the answer of an asynchronous function. Concurrent callers share one pending call. Failures are not cached.
 * @param lifetimeMs how long an answer is reused, in milliseconds
 */
export function cachedAnswer<Answer>(
  make: () => Promise<Answer>,
  lifetimeMs: number,
  now: () => number = () => performance.now(),
): () => Promise<Answer> {
  let kept: { answer: Promise<Answer>; until: number } | undefined;
  return () => {
    if (kept && now() < kept.until) return kept.answer;
    const answer = make();
    // A pending answer is shared, however long it takes.
    const entry = { answer, until: Number.POSITIVE_INFINITY };
    kept = entry;
    answer.then(
      () => {
        entry.until = now() + lifetimeMs;
      },
      () => {
        if (kept === entry) kept = undefined;
      },
    );
    return answer;
  };
}
