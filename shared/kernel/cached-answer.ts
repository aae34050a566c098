/**
 * An answer that is made at most once in a while: callers that come meanwhile get the one in the making or the latest.
 * A failure is not kept.
 * @param lifetimeMs milliseconds for which an answer is used again
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
    // In the making it is shared however long that takes.
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
