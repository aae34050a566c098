import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { v5 } from 'uuid';
import { type ProjectId, projectIdSchema, type UserId, userIdSchema } from './ids.ts';

/** A random id with 122 random bits. */
export function newId(): string {
  return randomUUID();
}

/** The id of a new user, with 128 random bits. */
export function newUserId(): UserId {
  return userIdSchema.parse(`usr_${randomBytes(16).toString('hex')}`);
}

/** The id of a new project. */
export function newProjectId(): ProjectId {
  return projectIdSchema.parse(randomUUID());
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
