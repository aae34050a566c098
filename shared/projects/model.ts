import { z } from 'zod';
import { timestamp } from '../wire.ts';

export const projectRole = z.enum(['owner', 'editor', 'viewer']);
export type ProjectRole = z.infer<typeof projectRole>;

export const membershipStatus = z.enum(['pending', 'active', 'revoked']);
export type MembershipStatus = z.infer<typeof membershipStatus>;

/** What an endpoint needs inside a project. */
export type Permission = 'read' | 'write' | 'admin';

/** A project as the API shows it. */
export const project = z
  .object({
    project_id: z.string(),
    owner_user_id: z.string(),
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

/** Body of POST /projects. */
export const newProject = z.object({
  name: z.string().min(1).max(100),
  description: z.string().max(500).nullable().default(null),
  tags: z.array(z.string().max(100)).max(100).default([]),
});
export type NewProject = z.infer<typeof newProject>;

/** A project as stored; `_id` is the project_id. */
export interface StoredProject {
  _id: string;
  owner_user_id: string;
  owner_username: string;
  name: string;
  description: string | null;
  tags: string[];
  default_role: ProjectRole;
  created_at: Date;
  updated_at: Date;
}

/** A membership as stored; `_id` is `<project_id>/<user_id>`. Names are read from the user, never copied here. */
export interface StoredMembership {
  _id: string;
  project_id: string;
  user_id: string;
  role: ProjectRole;
  status: MembershipStatus;
  invited_by_user_id: string | null;
  last_accessed_at: Date | null;
  created_at: Date;
}

/** A request's project, and what the caller may do in it. */
export interface ProjectScope {
  project: StoredProject;
  role: ProjectRole;
}
