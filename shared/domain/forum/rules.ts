import { CalibronError } from '../../kernel/errors.ts';
import type { Actor } from '../accounts/model.ts';
import type { ProjectRole } from '../projects/model.ts';
import type { Category, ThreadTarget } from './model.ts';

/** Who asks for something in a project. */
export interface Member {
  projectId: string;
  role: ProjectRole;
  actor: Actor;
}

type Preset = Pick<Category, 'key' | 'name' | 'description' | 'color' | 'icon' | 'sort_order'>;

/** What a forum has before its owner says otherwise. */
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

/** A category's key made of its name; empty where nothing of it can stand in a key. */
export function keyOfName(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^[-_]+/, '')
    .slice(0, 64)
    .replace(/[-_]+$/, '');
}

/** What a thread is about: chip, kind and id of a target together, or nothing. */
export function wholeTarget(
  given: { [Field in keyof ThreadTarget]?: ThreadTarget[Field] | undefined },
): ThreadTarget {
  const chip_id = given.chip_id?.trim();
  const target_id = given.target_id?.trim();
  const { target_type } = given;
  if (!chip_id || !target_id || !target_type) return { chip_id: null, target_type: null, target_id: null };
  return { chip_id, target_type, target_id };
}

/** Whether somebody may change the text of a post, or close its thread: its author and the project's owner. */
export function mayEdit({ actor, role }: Member, { user_id }: { user_id: string | null }): boolean {
  return user_id === actor.user_id || role === 'owner';
}

/** Whether somebody may change what a thread is filed under: who may edit it, and editors. */
export function mayFile(member: Member, post: { user_id: string | null }): boolean {
  return mayEdit(member, post) || member.role === 'editor';
}

/** An error over one field of a body. */
export function wrongField(field: string, type: string, msg: string): CalibronError {
  return new CalibronError('invalid_input', `${field}: ${msg}`, {
    problems: [{ type, loc: ['body', field], msg }],
  });
}

export function unknownPost(): CalibronError {
  return new CalibronError('not_found', 'There is no such post in this project.');
}
