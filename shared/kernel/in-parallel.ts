/**
 * Does something with each of many items, a few of them at once. Stops beginning new ones when one fails, and throws
 * what the first failure was once those under way have ended.
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
