/**
 * The first items that have at most `limit` bytes together, but at least one. What follows is not read.
 * @param items read one after another, such as a cursor of the store
 */
export async function upToBytes<Item>(
  items: AsyncIterable<Item>,
  limit: number,
  bytesOf: (item: Item) => number,
): Promise<Item[]> {
  const taken: Item[] = [];
  let bytes = 0;
  for await (const item of items) {
    bytes += bytesOf(item);
    if (taken.length > 0 && bytes > limit) break;
    taken.push(item);
  }
  return taken;
}
