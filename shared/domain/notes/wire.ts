import { isoTime, isoTimeOrNull } from '../../kernel/time.ts';
import type { StoredNote } from '../chips/model.ts';
import type { Comment, CommentDocument, Note, NoteEvent, NoteEventDocument } from './model.ts';

/** A note that was never written. */
export const noNote: Note = { content: '', updated_by: '', updated_at: null };

/** A displayed note in its stored form. */
export function storedNoteOf({ updated_at, ...note }: Note): StoredNote {
  return { ...note, updated_at: updated_at === null ? null : new Date(updated_at) };
}

/** The stored comment as the API shows it. */
export function commentOf(stored: CommentDocument): Comment {
  return {
    comment_id: stored.comment_id,
    content: stored.content,
    created_by: stored.created_by,
    created_at: isoTime(stored.created_at),
    updated_by: stored.updated_by,
    updated_at: isoTimeOrNull(stored.updated_at),
  };
}

/** The stored event as the API shows it. */
export function noteEventOf({ _id, words, created_at, ...shown }: NoteEventDocument): NoteEvent {
  return { ...shown, created_at: isoTime(created_at) };
}

const reviewHeading = /^\s*#{1,6}\s*AI (?:review|triage)\b/i;
const separator = /^\s*---\s*$/m;

/**
 * Splits a task's note that begins with the heading of an AI review into the review, down to a line of `---`, and the
 * users' text below it.
 */
export function splitReview(note: Note): { note: Note; ai_review_note: Note } {
  if (!reviewHeading.test(note.content)) return { note, ai_review_note: noNote };
  const found = separator.exec(note.content);
  const end = found?.index ?? note.content.length;
  const rest = found ? note.content.slice(end + found[0].length) : '';
  return {
    ai_review_note: { ...note, content: note.content.slice(0, end).trim() },
    note: rest.trim() === '' ? noNote : { ...note, content: rest.trim() },
  };
}
