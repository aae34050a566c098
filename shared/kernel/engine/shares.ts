/** How users share the queues of the engine. */

/** Characters of a fairness key; the engine takes 64 bytes. */
const KEY_LIMIT = 64;

/**
 * The share of a user in every queue of the engine: where tasks wait, each user has its turn, however many tasks and
 * projects it has. Activities and child workflows inherit it from their workflow.
 */
export function shareOfUser(userId: string): { fairnessKey: string } {
  return { fairnessKey: userId.slice(0, KEY_LIMIT) };
}
