import { CalibronError } from '../../kernel/errors.ts';
import { entityTagOf, type Precondition, saveIfMet } from '../../kernel/preconditions.ts';
import type { Actor } from '../accounts/model.ts';
import type { Chips } from '../chips/index.ts';
import type { StoredNote } from '../chips/model.ts';
import { noteOf } from '../chips/wire.ts';
import type { NoteEvents } from './events.ts';
import type { ChipPlace, Note, NoteScope, NoteSubject, NoteTarget, ScopeQuery } from './model.ts';
import { isUnscoped, isWithoutScope } from './scope-rules.ts';
import type { Scopes } from './scopes.ts';
import type { ScopedNotes } from './store.ts';
import { noNote, storedNoteOf } from './wire.ts';

/** Scope reported for a request without one if the note is on the target itself. */
const GLOBAL = { scope_key: 'global', scope_type: 'global', cooldown_id: '' };

/** Subject of a note: a target (`metric` null) or one of its metrics. */
interface TargetSubject {
  target: NoteTarget;
  metric: string | null;
}

/** Notes on qubits and couplings and on their metrics. A write updates the current note and records an event. */
export function createTargetNotes(needs: {
  chips: Chips;
  scopes: Scopes;
  notes: ScopedNotes;
  events: NoteEvents;
}) {
  const { chips, scopes, notes, events } = needs;

  const subjectOf = ({ target: { kind, qid }, metric }: TargetSubject): NoteSubject =>
    metric === null
      ? { subject: 'target', target_type: kind, target_id: qid, metric_key: '' }
      : { subject: 'metric', target_type: kind, target_id: qid, metric_key: metric };

  function unknownNote(): CalibronError {
    return new CalibronError('not_found', 'There is no such note.');
  }

  async function addEvent(
    place: ChipPlace,
    { target, metric }: TargetSubject,
    what: { action: 'upsert' | 'delete'; content: string; extra: Record<string, string> },
    { actor, at }: { actor: Actor; at: Date },
  ): Promise<void> {
    await events.add(
      {
        project_id: place.projectId,
        chip_id: place.chipId,
        scope: metric === null ? target.kind : `${target.kind}_metric`,
        target_id: target.qid,
        metric_key: metric ?? '',
        ...what,
      },
      actor,
      at,
    );
  }

  const extraOf = ({ scope_key, scope_type, cooldown_id }: NoteScope) => ({
    scope_key,
    scope_type,
    cooldown_id: cooldown_id ?? '',
  });

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

  return {
    /**
     * The effective note of a target (`metric` null) or of one of its metrics in the scope of a request; empty if there
     * is none.
     * @throws not_found for an unknown chip, target or cool-down
     */
    async read(place: ChipPlace, about: TargetSubject, query: ScopeQuery): Promise<Note> {
      const { shown } = await current(place, about, await scopeOf(place, about, query));
      return shown;
    },

    /**
     * Writes the note of a target (`metric` null) or of one of its metrics. Without a cool-down or period, a target's
     * note is stored on the target itself, and a metric's note in the current scope.
     * @throws not_found for an unknown chip, target or cool-down; precondition_failed
     */
    async put(
      place: ChipPlace,
      about: TargetSubject,
      query: ScopeQuery,
      {
        content,
        actor,
        precondition,
      }: { content: string; actor: Actor; precondition?: Precondition | undefined },
    ): Promise<Note> {
      const { projectId, chipId } = place;
      const { target } = about;
      await chips.readTarget(target.kind, projectId, chipId, target.qid);
      const scope = await scopeOf(place, about, query);
      const at = new Date();
      const note = { content, updated_by: actor.username, updated_at: at };
      await saveIfMet(precondition, {
        read: () => current(place, about, scope),
        tagOf: ({ shown }) => entityTagOf(shown),
        async write(expected) {
          const isWritten = scope
            ? await notes.put({ place, about: subjectOf(about), scope }, note, expected?.own)
            : await chips.ownNotes.putTarget({ ...place, ...target }, note, expected?.own ?? undefined);
          return isWritten || null;
        },
      });
      const extra = scope ? extraOf(scope) : GLOBAL;
      await addEvent(place, about, { action: 'upsert', content, extra }, { actor, at });
      return noteOf(note);
    },

    /**
     * Removes a note. A note on the target itself becomes empty and keeps its time.
     * @throws not_found for an unknown chip, target or cool-down, or if there is no such note; precondition_failed
     */
    async remove(
      place: ChipPlace,
      about: TargetSubject,
      query: ScopeQuery,
      { actor, precondition }: { actor: Actor; precondition?: Precondition | undefined },
    ): Promise<void> {
      const { projectId, chipId } = place;
      const { target } = about;
      await chips.readTarget(target.kind, projectId, chipId, target.qid);
      const at = new Date();
      const scope = await scopeOf(place, about, query);
      const isRemoved = await saveIfMet(precondition, {
        read: () => current(place, about, scope),
        tagOf: ({ shown }) => entityTagOf(shown),
        async write(expected) {
          const own = expected?.own;
          if (own?.updated_at === null) return false;
          if (await removeOwn({ place, about, scope }, own, { actor, at })) return true;
          // With an own note that was read, a failed removal means that it has changed meanwhile.
          return own ? null : false;
        },
      });
      if (!isRemoved) throw unknownNote();
      const extra = scope ? extraOf(scope) : GLOBAL;
      const what = { action: 'delete' as const, content: '', extra };
      await addEvent(place, about, what, { actor, at });
    },
  };
}
