import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { v5 } from 'uuid';
import { z } from 'zod';

/** The id of a project, as a part of a request, a response or a stored document. Only parsing it makes a {@link ProjectId}. */
export const projectIdSchema = z.string().brand<'ProjectId'>();
export type ProjectId = string & z.$brand<'ProjectId'>;

/** A random id with 122 random bits. */
export function newId(): string {
  return randomUUID();
}

/** The id of a new user, with 128 random bits. */
export function newUserId(): string {
  return `usr_${randomBytes(16).toString('hex')}`;
}

/** The id of a new project. */
export function newProjectId(): ProjectId {
  return projectIdSchema.parse(randomUUID());
}

/** Joins the parts of a natural key. The project id comes first, so keys of different projects never collide. */
export function keyOf(projectId: ProjectId, ...parts: (string | number)[]): string {
  return joinedKey(projectId, ...parts);
}

/** Joins the parts of a natural key of something that belongs to no single project, or to a document with such a key. */
export function joinedKey(...parts: (string | number)[]): string {
  return parts.join('/');
}

/** SHA-256 of a text, hexadecimal. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** A UUID derived from a random id and a label: the same pair always gives the same id. */
export function derivedId(id: string, label: string): string {
  const hex = sha256(`${id}/${label}`);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** A version 5 UUID (RFC 9562): the same namespace and name always give the same id. @param namespace a UUID */
export function namedId(namespace: string, name: string): string {
  return v5(name, namespace);
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return uuidPattern.test(text);
}
