/** The same items; the next one is requested before the current one is used, so that reading and using overlap. */
export async function* readAhead<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  const source = items[Symbol.asyncIterator]();
  let next = source.next();
  try {
    for (;;) {
      const { done, value } = await next;
      if (done) return;
      next = source.next();
      yield value;
    }
  } finally {
    // The request ahead may fail after the reader has stopped.
    next.catch(() => undefined);
    await source.return?.();
  }
}
