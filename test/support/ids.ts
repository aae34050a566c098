import { type ProjectId, projectIdSchema } from '../../shared/kernel/ids.ts';

/** The id of a project that a test makes up. */
export function projectNamed(text: string): ProjectId {
  return projectIdSchema.parse(text);
}
