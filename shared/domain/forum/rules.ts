import { CalibronError } from '../../kernel/errors.ts';
import type { ProjectId, UserId } from '../../kernel/ids.ts';
import type { Actor } from '../accounts/model.ts';
import type { ProjectRole } from '../projects/model.ts';
import type { Category, ThreadTarget } from './model.ts';

/** A user who makes a request in a project. */
export interface Member {
  projectId: ProjectId;
  role: ProjectRole;
  actor: Actor;
}

type Preset = Pick<Category, 'key' | 'name' | 'description' | 'color' | 'icon' | 'sort_order'>;

/** The categories of a forum until the project's owner changes them. */
export const defaultCategories: readonly Preset[] = [
  {
    key: 'qubit',
    name: 'Qubit Health',
    description: 'Coherence, readout and frequencies of qubits.',
    color: 'success',
    icon: 'activity',
    sort_order: 10,
  },
  {
    key: 'coupling',
    name: 'Coupling & CR',
    description: 'How pairs of qubits behave.',
    color: 'info',
    icon: 'network',
    sort_order: 20,
  },
  {
    key: 'control',
    name: 'Control Stack',
    description: 'Control electronics and wiring.',
    color: 'warning',
    icon: 'circuit-board',
    sort_order: 30,
  },
  {
    key: 'system',
    name: 'System & Policy',
    description: 'Cryostat, chip, software and how we work.',
    color: 'primary',
    icon: 'settings',
    sort_order: 40,
  },
  {
    key: 'other',
    name: 'Other',
    description: 'Everything else.',
    color: 'secondary',
    icon: 'message-square',
    sort_order: 50,
  },
];

/** A category's key derived from its name; empty if the name has no valid characters. */
export function keyOfName(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^[-_]+/, '')
    .slice(0, 64)
    .replace(/[-_]+$/, '');
}

/** The subject of a thread: chip, kind and id of a target together, or none. */
export function wholeTarget(
  given: { [Field in keyof ThreadTarget]?: ThreadTarget[Field] | undefined },
): ThreadTarget {
  const chip_id = given.chip_id?.trim();
  const target_id = given.target_id?.trim();
  const { target_type } = given;
  if (!chip_id || !target_id || !target_type) return { chip_id: null, target_type: null, target_id: null };
  return { chip_id, target_type, target_id };
}

/** Whether a member may change the text of a post, or close its thread: its author and the project's owner. */
export function mayEdit({ actor, role }: Member, { user_id }: { user_id: UserId | null }): boolean {
  return user_id === actor.user_id || role === 'owner';
}

/** Whether a member may change the filing of a thread: those who may edit it, and editors. */
export function mayFile(member: Member, post: { user_id: UserId | null }): boolean {
  return mayEdit(member, post) || member.role === 'editor';
}

/** A validation error for one field of a body. */
export function wrongField(field: string, type: string, msg: string): CalibronError {
  return new CalibronError('invalid_input', `${field}: ${msg}`, {
    problems: [{ type, loc: ['body', field], msg }],
  });
}

export function unknownPost(): CalibronError {
  return new CalibronError('not_found', 'There is no such post in this project.');
}
