import type { ProjectId } from '../../kernel/ids.ts';

/** What travels through the engine for an apply. Pure types. */

/** Identifies one apply of a commit. A later apply of the same commit supersedes it. */
export interface ApplyInput {
  project_id: ProjectId;
  session_id: string;
  commit_id: string;
  attempt: number;
  push: boolean;
}
