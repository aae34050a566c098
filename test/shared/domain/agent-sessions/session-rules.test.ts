import { expect, test } from 'vitest';
import type { SessionDocument } from '../../../../shared/domain/agent-sessions/model.ts';
import {
  assertActive,
  assertCreator,
  assertMayControl,
  assertSameProposal,
  assertVersion,
} from '../../../../shared/domain/agent-sessions/session-rules.ts';
import { newProjectId } from '../../../../shared/kernel/new-ids.ts';
import { userNamed } from '../../../support/ids.ts';

const [mia, max] = [userNamed('usr_mia'), userNamed('usr_max')];
const session: SessionDocument = {
  _id: '',
  project_id: newProjectId(),
  session_id: 'ses_1',
  chip_id: 'CHIP',
  created_by: 'mia',
  created_by_user_id: mia,
  policy: {
    qids: ['0'],
    allowed_actions: ['run_task'],
    allowed_tasks: ['CheckT1'],
    allowed_overrides: {},
    quality_gates: {},
    allow_reconfigure: false,
    max_actions: 5,
  },
  skill_name: '',
  skill_version: '',
  skill_hash: '',
  model_name: '',
  status: 'active',
  state_version: 3,
  action_count: 0,
  created_at: new Date(0),
  updated_at: new Date(0),
  expires_at: new Date(0),
};
const user = (user_id: typeof mia, isOwner = false) => ({ user_id, username: 'somebody', isOwner });
const error = (code: string, message: string) => expect.objectContaining({ code, message });

test('only its creator acts in a session', () => {
  expect(() => assertCreator(session, user(mia))).not.toThrow();
  for (const isOwner of [true, false])
    expect(() => assertCreator(session, user(max, isOwner))).toThrow(
      error('forbidden', 'Only mia, who created this session, may act in it. Create a session of your own.'),
    );
});

test('its creator and the owner of the project control a session', () => {
  expect(() => assertMayControl(session, user(mia))).not.toThrow();
  expect(() => assertMayControl(session, user(max, true))).not.toThrow();
  expect(() => assertMayControl(session, user(max))).toThrow(
    error('forbidden', "Only mia, who made this session, and the project's owner may do this."),
  );
});

test('agents act in active sessions only', () => {
  expect(() => assertActive(session)).not.toThrow();
  expect(() => assertActive({ ...session, status: 'waiting_for_human' })).toThrow(
    error('session_closed', 'The session is waiting for human. A person has to resume it first.'),
  );
  expect(() => assertActive({ ...session, status: 'expired' })).toThrow(
    error('session_closed', 'The session is expired. Make a new one.'),
  );
});

test('a proposal must be based on the current state', () => {
  expect(() => assertVersion(session, 3)).not.toThrow();
  expect(() => assertVersion(session, 2)).toThrow(
    error(
      'stale_version',
      'The session is at state version 3. Read it again and decide based on its current state.',
    ),
  );
});

test('a key belongs to one proposal', () => {
  expect(() => assertSameProposal({ fingerprint: 'a' }, 'a')).not.toThrow();
  expect(() => assertSameProposal({ fingerprint: 'a' }, 'b')).toThrow(
    error(
      'idempotency_conflict',
      'This idempotency_key was used for something else in this session. Send a new key for a new proposal.',
    ),
  );
});
