/** Permissions in a session by user and status. Pure. */

import { CalibronError } from '../../kernel/errors.ts';
import type { UserId } from '../../kernel/ids.ts';
import { RunError } from '../runs/errors.ts';
import { AgentSessionError } from './errors.ts';
import type { SessionDocument } from './model.ts';

/** The requesting user. */
export interface SessionUser {
  user_id: UserId;
  username: string;
  /** Whether the user owns the session's project. */
  isOwner: boolean;
}

/** @throws forbidden unless the user created the session */
export function assertCreator(session: SessionDocument, user: SessionUser): void {
  if (session.created_by_user_id === user.user_id) return;
  throw new CalibronError(
    'forbidden',
    `Only ${session.created_by}, who created this session, may act in it. Create a session of your own.`,
  );
}

/** @throws forbidden unless the user created the session or owns the project */
export function assertMayControl(session: SessionDocument, user: SessionUser): void {
  if (user.isOwner || session.created_by_user_id === user.user_id) return;
  throw new CalibronError(
    'forbidden',
    `Only ${session.created_by}, who made this session, and the project's owner may do this.`,
  );
}

/** @throws session_closed unless agents may act in the session */
export function assertActive({ status }: SessionDocument): void {
  if (status === 'active') return;
  const remedy = status === 'waiting_for_human' ? 'A person has to resume it first.' : 'Make a new one.';
  throw new AgentSessionError('session_closed', `The session is ${status.replaceAll('_', ' ')}. ${remedy}`);
}

/** @throws stale_version when a proposal is based on an older state */
export function assertVersion(session: SessionDocument, expected: number): void {
  if (session.state_version === expected) return;
  throw staleVersion(session.state_version);
}

export function staleVersion(current: number): CalibronError {
  return new AgentSessionError(
    'stale_version',
    `The session is at state version ${current}. Read it again and decide based on its current state.`,
  );
}

/** @throws idempotency_conflict when a key was used for something else */
export function assertSameProposal(stored: { fingerprint: string }, fingerprint: string): void {
  if (stored.fingerprint === fingerprint) return;
  throw new RunError(
    'idempotency_conflict',
    'This idempotency_key was used for something else in this session. Send a new key for a new proposal.',
  );
}
