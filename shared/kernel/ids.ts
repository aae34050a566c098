import { z } from 'zod';

/** The id of a project, as a part of a request, a response or a stored document. Only parsing it makes a {@link ProjectId}. */
export const projectIdSchema = z.string().brand<'ProjectId'>();
export type ProjectId = string & z.$brand<'ProjectId'>;

/** The id of an execution, such as `20260801-004`. Unique within its project. */
export const executionIdSchema = z.string().brand<'ExecutionId'>();
export type ExecutionId = string & z.$brand<'ExecutionId'>;

/** The id of a task of an execution: a UUID, unique everywhere. */
export const taskIdSchema = z.string().brand<'TaskId'>();
export type TaskId = string & z.$brand<'TaskId'>;

/** The id of a user, not the name with which a user signs in. */
export const userIdSchema = z.string().brand<'UserId'>();
export type UserId = string & z.$brand<'UserId'>;

/** Stored and sent as an empty text when there is no such id. */
export const NO_EXECUTION = executionIdSchema.parse('');
export const NO_TASK = taskIdSchema.parse('');
export const NO_USER = userIdSchema.parse('');

/** Joins the parts of a natural key. The project id comes first, so keys of different projects never collide. */
export function keyOf(projectId: ProjectId, ...parts: (string | number)[]): string {
  return joinedKey(projectId, ...parts);
}

/** Joins the parts of a natural key of something that belongs to no single project, or to a document with such a key. */
export function joinedKey(...parts: (string | number)[]): string {
  return parts.join('/');
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return uuidPattern.test(text);
}
