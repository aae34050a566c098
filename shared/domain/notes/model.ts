import { z } from 'zod';
import {
  type ProjectId,
  projectIdSchema,
  taskIdSchema,
  type UserId,
  userIdSchema,
} from '../../kernel/ids.ts';
import { instant, integer, noteBody, timestamp } from '../../kernel/wire.ts';
import type { StoredNote, TargetKind } from '../chips/model.ts';

/** Body of every write of a note or a comment; an empty text clears it. */
export const noteText = z.object({ content: z.string().max(5000) });

/** A note as the API shows it. */
export type Note = z.infer<typeof noteBody>;

/** The time scope of a request for notes; without parameters it means now. */
export const scopeQuery = z.object({
  cooldown_id: z.string().optional().describe('The cool-down that the note is about.'),
  start_at: instant().optional().describe('Start of the time that the note is about.'),
  end_at: instant().optional().describe('End of the time that the note is about; ignored without a start.'),
});
export type ScopeQuery = z.infer<typeof scopeQuery>;

export const comment = z
  .object({
    comment_id: z.string(),
    content: z.string(),
    created_by: z.string(),
    created_at: timestamp,
    updated_by: z.string(),
    updated_at: timestamp.nullable(),
  })
  .meta({ id: 'NoteComment' });
export type Comment = z.infer<typeof comment>;

export const targetNotes = z.object({
  target_id: z.string(),
  note: noteBody,
  comments: z.array(comment).describe('Oldest first.'),
  metric_notes: z.record(z.string(), noteBody),
});
export type TargetNotes = z.infer<typeof targetNotes>;

export const taskNotes = z.object({
  task_id: taskIdSchema,
  qid: z.string(),
  note: noteBody,
  ai_review_note: noteBody,
});

/** GET /chips/{chip_id}/notes-summary: targets by number that have notes or comments, and the newest notes of tasks. */
export const notesSummary = z.object({
  chip_id: z.string(),
  qubits: z.array(targetNotes),
  couplings: z.array(targetNotes),
  task_notes: z.array(taskNotes),
});
export type NotesSummary = z.infer<typeof notesSummary>;

export const noteEventScope = z.enum([
  'chip',
  'qubit',
  'qubit_metric',
  'coupling',
  'coupling_metric',
  'task_result',
]);
export type NoteEventScope = z.infer<typeof noteEventScope>;

/** One write or deletion of a note; never changed afterwards. */
const noteEvent = z
  .object({
    project_id: projectIdSchema,
    chip_id: z.string(),
    scope: noteEventScope,
    target_id: z.string().describe('Id of the chip, qubit, coupling or task result.'),
    metric_key: z.string(),
    action: z.enum(['upsert', 'delete']),
    actor_user_id: userIdSchema,
    actor: z.string(),
    content: z.string(),
    extra: z.record(z.string(), z.string()),
    created_at: timestamp,
  })
  .meta({ id: 'NoteEvent' });
export type NoteEvent = z.infer<typeof noteEvent>;

export const noteEventList = z.object({
  events: z.array(noteEvent),
  total: z.number().int(),
});
export type NoteEventList = z.infer<typeof noteEventList>;

export const noteEventPage = z.object({
  skip: integer({ min: 0 }).prefault(0),
  limit: integer({ min: 1, max: 200 }).prefault(50),
});

/** How the scope of a note was determined. */
export type ScopeSource =
  | 'explicit_cooldown'
  | 'current_cooldown'
  | 'inferred_from_range'
  | 'manual_time_range'
  | 'legacy_global';

/** The time scope of a note. */
export interface NoteScope {
  scope_type: 'cooldown' | 'time_range' | 'global';
  /** `cooldown:<id>`, `time_range:<start>:<end>` or `global`. */
  scope_key: string;
  cooldown_id: string | null;
  scope_started_at: Date | null;
  scope_ended_at: Date | null;
  scope_source: ScopeSource;
}

/** A chip of a project. */
export interface ChipPlace {
  projectId: ProjectId;
  chipId: string;
}

/** A qubit or coupling that a note is about. */
export interface NoteTarget {
  kind: TargetKind;
  qid: string;
}

/** Subject of a scoped note: the chip as a whole, a target, or one metric of a target. */
export type NoteSubject =
  | { subject: 'chip'; target_type: null; target_id: ''; metric_key: '' }
  | { subject: 'target'; target_type: TargetKind; target_id: string; metric_key: '' }
  | { subject: 'metric'; target_type: TargetKind; target_id: string; metric_key: string };

/** The current note of a subject in a scope; `_id` is `<project>/<chip>/<subject>/<target>/<metric>/<scope_key>`. */
export interface ScopedNoteDocument extends NoteScope {
  _id: string;
  project_id: ProjectId;
  chip_id: string;
  subject: NoteSubject['subject'];
  target_type: TargetKind | null;
  target_id: string;
  metric_key: string;
  note: StoredNote;
}

/** `_id` is `<project>/<comment_id>`. */
export interface CommentDocument extends NoteScope {
  _id: string;
  project_id: ProjectId;
  chip_id: string;
  target_type: TargetKind;
  target_id: string;
  comment_id: string;
  content: string;
  created_by_user_id: UserId;
  created_by: string;
  created_at: Date;
  updated_by: string;
  updated_at: Date | null;
}

/** `_id` is `<project>/<random id>`. */
export interface NoteEventDocument extends Omit<NoteEvent, 'created_at'> {
  _id: string;
  created_at: Date;
  /** Words of the content and their pieces, for the search. */
  words: string[];
}
