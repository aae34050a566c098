import {
  type ExecutionId,
  executionIdSchema,
  type ProjectId,
  projectIdSchema,
  type TaskId,
  taskIdSchema,
  type UserId,
  userIdSchema,
} from '../../shared/kernel/ids.ts';

/** The id of a project that a test makes up. */
export function projectNamed(text: string): ProjectId {
  return projectIdSchema.parse(text);
}

/** The id of an execution that a test makes up. */
export function executionNamed(text: string): ExecutionId {
  return executionIdSchema.parse(text);
}

/** The id of a task that a test makes up. */
export function taskNamed(text: string): TaskId {
  return taskIdSchema.parse(text);
}

/** The id of a user that a test makes up. */
export function userNamed(text: string): UserId {
  return userIdSchema.parse(text);
}
