/**
 * Processes items with limited concurrency. After the first failure it starts no more items, waits for those in progress,
 * and throws that failure.
 */
export async function inParallel<Item>(
  atOnce: number,
  items: readonly Item[],
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  const failures: unknown[] = [];
  const rest = items.values();
  const one = async (): Promise<void> => {
    for (const item of rest) {
      if (failures.length > 0) return;
      try {
        await work(item);
      } catch (thrown) {
        failures.push(thrown);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, one));
  if (failures.length > 0) throw failures[0];
}
