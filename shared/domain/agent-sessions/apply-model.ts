/** What travels through the engine for an apply. Pure types. */

/** Which apply of which commit: an earlier one of the same commit does nothing any more. */
export interface ApplyInput {
  project_id: string;
  session_id: string;
  commit_id: string;
  attempt: number;
  push: boolean;
}
