/**
 * Changes many documents, a batch at a time, so that no command exceeds the time limit of commands.
 * @param find up to `limit` ids that still have to be changed; none at the end
 */
export async function inBatches<Id>(
  limit: number,
  find: (limit: number) => Promise<readonly Id[]>,
  change: (ids: readonly Id[]) => Promise<unknown>,
): Promise<void> {
  for (;;) {
    const ids = await find(limit);
    if (ids.length === 0) return;
    await change(ids);
  }
}
