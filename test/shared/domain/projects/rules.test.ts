import { expect, test } from 'vitest';
import type { MembershipDocument, ProjectDocument } from '../../../../shared/domain/projects/model.ts';
import {
  idOfName,
  isConcealed,
  nameOfId,
  ownerMembership,
  roleAllows,
  roleIn,
  standingOf,
} from '../../../../shared/domain/projects/rules.ts';
import { newProjectId } from '../../../../shared/kernel/new-ids.ts';
import { userNamed } from '../../../support/ids.ts';

const [mia, max] = [userNamed('usr_mia'), userNamed('usr_max')];
const now = new Date('2026-01-02T00:00:00Z');
const project: ProjectDocument = {
  _id: newProjectId(),
  owner_user_id: mia,
  owner_username: 'mia',
  name: 'lab',
  description: null,
  tags: [],
  default_role: 'viewer',
  created_at: now,
  updated_at: now,
};
const membership = (fields: Partial<MembershipDocument> = {}): MembershipDocument => ({
  ...ownerMembership(project._id, max, now),
  role: 'editor',
  ...fields,
});

test('viewers read, editors also write, owners also administer', () => {
  const allowedTo = (role: 'owner' | 'editor' | 'viewer') =>
    (['read', 'write', 'admin'] as const).filter((permission) => roleAllows(role, permission));
  expect(allowedTo('viewer')).toEqual(['read']);
  expect(allowedTo('editor')).toEqual(['read', 'write']);
  expect(allowedTo('owner')).toEqual(['read', 'write', 'admin']);
});

test('the owner needs no membership; others need an active one', () => {
  expect(roleIn(project, null, mia)).toBe('owner');
  expect(roleIn(project, null, max)).toBeNull();
  expect(roleIn(project, membership(), max)).toBe('editor');
  expect(roleIn(project, membership({ status: 'pending' }), max)).toBeNull();
});

test('only the project decides who is owner', () => {
  expect(standingOf(project, membership({ role: 'owner' }))).toEqual({ role: 'editor', status: 'active' });
  expect(standingOf(project, membership({ role: 'viewer', status: 'pending' }))).toEqual({
    role: 'viewer',
    status: 'pending',
  });
  const ofOwner = membership({ user_id: mia, role: 'viewer', status: 'pending' });
  expect(standingOf(project, ofOwner)).toEqual({ role: 'owner', status: 'active' });
});

test('the membership of an owner is complete without being stored', () => {
  expect(ownerMembership(project._id, mia, now)).toEqual({
    _id: `${project._id}/${mia}`,
    project_id: project._id,
    user_id: mia,
    role: 'owner',
    status: 'active',
    invited_by_user_id: null,
    last_accessed_at: null,
    created_at: now,
  });
});

test('an account invited by a stranger is concealed until its first visit', () => {
  expect(isConcealed(membership())).toBe(false);
  expect(isConcealed(membership({ shown_id: max }))).toBe(true);
  expect(isConcealed(membership({ shown_id: max, last_accessed_at: now }))).toBe(false);
});

test('an invite of a name without an account contains the name', () => {
  expect(nameOfId(idOfName('eve'))).toBe('eve');
  expect(nameOfId(mia)).toBeNull();
});
