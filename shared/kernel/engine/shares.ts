/** How users share the queues of the engine. */

import { owningUser } from '../owning-user.ts';

/** Maximum length of a fairness key in characters; the engine accepts 64 bytes. */
const KEY_LIMIT = 64;

/**
 * Fairness key of a user in every queue of the engine. Waiting tasks are served in turns by user, regardless of how many
 * tasks and projects each user has. Activities and child workflows inherit the key from their workflow.
 */
export function shareOfUser(userId: string): { fairnessKey: string } {
  return { fairnessKey: owningUser(userId).slice(0, KEY_LIMIT) };
}
