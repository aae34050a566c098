import type { Actor } from '../accounts/model.ts';
import type { Chips } from '../chips/index.ts';
import type { StoredNote } from '../chips/model.ts';
import { noteOf } from '../chips/wire.ts';
import type { ChipPlace, Note, NoteScope, ScopeQuery } from './model.ts';
import { isUnscoped, isWithoutScope } from './scope-rules.ts';
import type { Scopes } from './scopes.ts';
import type { ScopedNotes } from './store.ts';
import { subjectOf, type TargetSubject } from './target-subjects.ts';
import { noNote, storedNoteOf } from './wire.ts';

/** Where the note of a target is, and what it is. */
export function createCurrentNotes({
  chips,
  scopes,
  notes,
}: {
  chips: Chips;
  scopes: Scopes;
  notes: ScopedNotes;
}) {
  /** Where a request reads and writes the note: on the target itself (null), or in a scope. */
  const scopeOf = async (place: ChipPlace, { metric }: TargetSubject, query: ScopeQuery) =>
    metric === null && isWithoutScope(query) ? null : scopes.resolve(place, query);

  /** The effective note as it is displayed, and the note that a write in this scope replaces. @throws not_found */
  async function current(
    place: ChipPlace,
    about: TargetSubject,
    scope: NoteScope | null,
  ): Promise<{ shown: Note; own: StoredNote | null }> {
    const { target, metric } = about;
    const { note, metric_notes } = await chips.readTarget(
      target.kind,
      place.projectId,
      place.chipId,
      target.qid,
    );
    if (!scope) return { shown: note, own: storedNoteOf(note) };
    const { effective, own } = await notes.ofSubject(place, subjectOf(about), scope);
    const older = metric !== null && isUnscoped(scope) ? metric_notes[metric] : undefined;
    return { shown: effective ? noteOf(effective) : (older ?? noNote), own };
  }

  /** Removes the note of a scope, or clears the target's own. @returns whether there was one */
  async function removeOwn(
    { place, about, scope }: { place: ChipPlace; about: TargetSubject; scope: NoteScope | null },
    expected: StoredNote | null | undefined,
    { actor, at }: { actor: Actor; at: Date },
  ): Promise<boolean> {
    const { target, metric } = about;
    if (!scope) {
      const empty = { content: '', updated_by: actor.username, updated_at: at };
      return chips.ownNotes.clearTarget({ ...place, ...target }, empty, expected ?? undefined);
    }
    if (expected !== null && (await notes.remove(place, subjectOf(about), scope, expected))) return true;
    const isOlder = !expected && metric !== null && scope.scope_type === 'global';
    return isOlder && (await chips.ownNotes.removeMetric({ ...place, ...target }, metric));
  }

  return { scopeOf, current, removeOwn };
}
