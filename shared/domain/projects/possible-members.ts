import type { UserId } from '../../kernel/ids.ts';
import type { UserDocument } from '../accounts/model.ts';
import type { MembershipStore } from './membership-store.ts';
import type { ProjectDocument } from './model.ts';
import { idOfName, isConcealed } from './rules.ts';
import type { ProjectStore } from './store.ts';

export interface PossibleMemberDependencies {
  projects: Pick<ProjectStore, 'membership' | 'listFor' | 'ownedByAny'>;
  memberships: Pick<MembershipStore, 'knownIn' | 'claim'>;
  users: { findByUsername(username: string): Promise<UserDocument | null> };
}

/** Who may become a member under a name, and which accounts an inviter may know. */
export function createPossibleMembers({ projects, memberships, users }: PossibleMemberDependencies) {
  /**
   * Whether an inviter may know that an account exists: both are in a project, or the account was in this one. An invite alone makes
   * no acquaintance.
   */
  async function isAcquainted(
    project: ProjectDocument,
    inviter: UserDocument,
    userId: UserId,
  ): Promise<boolean> {
    const [here, mine, owned, known] = await Promise.all([
      projects.membership(project._id, userId),
      projects.listFor(inviter._id),
      projects.ownedByAny([userId]),
      memberships.knownIn(userId),
    ]);
    if (userId === project.owner_user_id || (here && !isConcealed(here))) return true;
    const theirs = new Set([...owned.map((each) => each._id), ...known]);
    return mine.projects.some(({ project_id }) => theirs.has(project_id));
  }

  /**
   * Who may be a member under a name. Without an account that is the invite of the name, so that it changes like that of a stranger;
   * with one, an invite made before the account existed becomes the account's.
   */
  async function find(project: ProjectDocument, username: string) {
    const [found, invited] = await Promise.all([
      users.findByUsername(username),
      projects.membership(project._id, idOfName(username)),
    ]);
    const isForeign = found?.service && found.service.project_id !== project._id;
    const user = isForeign ? null : found;
    if (user && invited) await memberships.claim(project._id, user);
    return { _id: user?._id ?? idOfName(username), user };
  }

  return { isAcquainted, find };
}
