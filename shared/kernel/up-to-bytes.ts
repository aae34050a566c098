/**
 * The first items with a total of at most `limit` bytes, but at least one item. Later items are not read.
 * @param items read one at a time, such as a cursor of the store
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
