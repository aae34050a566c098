import { CalibronError } from '../../kernel/errors.ts';
import { entityTagOf, type Precondition, saveIfMet } from '../../kernel/preconditions.ts';
import type { Actor } from '../accounts/model.ts';
import type { Chips } from '../chips/index.ts';
import { noteOf } from '../chips/wire.ts';
import { createCurrentNotes } from './current-notes.ts';
import type { NoteEvents } from './events.ts';
import type { ChipPlace, Note, ScopeQuery } from './model.ts';
import type { Scopes } from './scopes.ts';
import type { ScopedNotes } from './store.ts';
import { extraOf, GLOBAL, subjectOf, type TargetSubject } from './target-subjects.ts';

/** Notes on qubits and couplings and on their metrics. A write updates the current note and records an event. */
export function createTargetNotes(needs: {
  chips: Chips;
  scopes: Scopes;
  notes: ScopedNotes;
  events: NoteEvents;
}) {
  const { chips, notes, events } = needs;
  const { scopeOf, current, removeOwn } = createCurrentNotes(needs);

  function unknownNote(): CalibronError {
    return new CalibronError('not_found', 'There is no such note.');
  }

  /** Records a change of a note. */
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
