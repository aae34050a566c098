import { z } from 'zod';
import { type ProjectId, projectIdSchema, type UserId, userIdSchema } from '../../kernel/ids.ts';
import { timestamp } from '../../kernel/wire.ts';
import { user, username } from '../accounts/model.ts';

const projectRole = z.enum(['owner', 'editor', 'viewer']);
export type ProjectRole = z.infer<typeof projectRole>;

const membershipStatus = z.enum(['pending', 'active', 'revoked']);
export type MembershipStatus = z.infer<typeof membershipStatus>;

/** The permission that an endpoint requires within a project. */
export type Permission = 'read' | 'write' | 'admin';

/** A project as the API shows it. */
export const project = z
  .object({
    project_id: projectIdSchema,
    owner_user_id: userIdSchema,
    owner_username: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    tags: z.array(z.string()),
    default_role: projectRole,
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Project' });
export type Project = z.infer<typeof project>;

export const projectList = z.object({ projects: z.array(project), total: z.number().int() });
export type ProjectList = z.infer<typeof projectList>;

const name = z.string().min(1).max(100);
const description = z.string().max(500).nullable();
const tags = z.array(z.string().max(100)).max(100);

/** Body of POST /projects. */
export const newProject = z.object({
  name,
  description: description.default(null),
  tags: tags.default([]),
});
export type NewProject = z.infer<typeof newProject>;

/** Default roles of invites; ownership only changes by a transfer. */
const defaultRole = z.enum(['editor', 'viewer']);

/** Body of PATCH /projects/{project_id}: absent or null fields are left unchanged. */
export const projectChange = z.object({
  name: name.nullish(),
  description: description.optional(),
  tags: tags.nullish(),
  default_role: defaultRole.nullish().describe('Role of invites that name none.'),
});
export type ProjectChange = z.infer<typeof projectChange>;

/** A project as administrators list it. */
const adminProject = z
  .object({
    project_id: projectIdSchema,
    name: z.string(),
    owner_user_id: userIdSchema,
    owner_username: z.string(),
    description: z.string().nullable(),
    member_count: z.number().int().describe('Active members, the owner included.'),
    created_at: timestamp,
  })
  .meta({ id: 'AdminProject' });
export type AdminProject = z.infer<typeof adminProject>;

export const adminProjectList = z.object({ projects: z.array(adminProject), total: z.number().int() });
export type AdminProjectList = z.infer<typeof adminProjectList>;

const person = user.pick({
  user_id: true,
  username: true,
  display_name: true,
  organization: true,
  avatar_key: true,
});

/** A member as administrators see them. */
export const adminMember = person
  .extend({ role: projectRole, status: membershipStatus })
  .meta({ id: 'AdminMember' });
export type AdminMember = z.infer<typeof adminMember>;

export const adminMemberList = z.object({ members: z.array(adminMember), total: z.number().int() });
export type AdminMemberList = z.infer<typeof adminMemberList>;

/** A member as the project sees them. */
export const member = person
  .extend({
    project_id: projectIdSchema,
    role: projectRole,
    status: membershipStatus,
    invited_by_user_id: userIdSchema.nullable(),
    invited_by: z.string().nullable().describe('Username.'),
    last_accessed_at: timestamp.nullable(),
  })
  .meta({ id: 'Member' });
export type Member = z.infer<typeof member>;

export const memberList = z.object({ members: z.array(member), total: z.number().int() });
export type MemberList = z.infer<typeof memberList>;

/** Body of an invite; the default role is the project's `default_role`. */
export const newMember = z.object({ username, role: projectRole.nullish() });
export type NewMember = z.infer<typeof newMember>;

/** Body of PATCH /projects/{project_id}/members/{username}. */
export const memberChange = z.object({ role: projectRole });

/** Body of POST /projects/{project_id}/transfer; `role` is ignored, because it is always owner. */
export const transfer = z.object({ username, role: projectRole.nullish() });

/** A project as stored; `_id` is the project_id. */
export interface ProjectDocument {
  _id: ProjectId;
  owner_user_id: UserId;
  owner_username: string;
  name: string;
  description: string | null;
  tags: string[];
  default_role: ProjectRole;
  created_at: Date;
  updated_at: Date;
}

/**
 * A membership as stored; `_id` is `<project_id>/<user_id>`. Names are read from the user, never copied here. The invite of a name
 * without an account is stored too, with `idOfName` as user id: it looks like that of a stranger and gives nobody anything.
 */
export interface MembershipDocument {
  _id: string;
  project_id: ProjectId;
  user_id: UserId;
  role: ProjectRole;
  status: MembershipStatus;
  invited_by_user_id: UserId | null;
  last_accessed_at: Date | null;
  created_at: Date;
  /** User id that is shown in place of the account's, of a member invited by somebody who shares no project with them. */
  shown_id?: UserId;
}

/** A request's project, and the caller's permissions in it. */
export interface ProjectScope {
  project: ProjectDocument;
  role: ProjectRole;
}

/** Input of the deletion workflow of a project. */
export interface ProjectDeletionInput {
  project_id: ProjectId;
  /** Seconds between the two sweeps. */
  settle: number;
}
