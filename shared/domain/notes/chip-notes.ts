import { entityTagOf, type Precondition, saveIfMet } from '../../kernel/preconditions.ts';
import type { Actor } from '../accounts/model.ts';
import type { Chips } from '../chips/index.ts';
import type { StoredNote } from '../chips/model.ts';
import { noteOf } from '../chips/wire.ts';
import type { NoteEvents } from './events.ts';
import type { ChipPlace, Note, NoteScope, NoteSubject, ScopeQuery } from './model.ts';
import type { Scopes } from './scopes.ts';
import type { ScopedNotes } from './store.ts';
import { noNote } from './wire.ts';

const WHOLE_CHIP: NoteSubject = { subject: 'chip', target_type: null, target_id: '', metric_key: '' };

/** Notes of a chip as a whole: one for each cool-down or period, and one on the chip itself. */
export function createChipNotes(needs: {
  chips: Chips;
  scopes: Scopes;
  notes: ScopedNotes;
  events: NoteEvents;
}) {
  const { chips, scopes, notes, events } = needs;

  /** The effective note in a scope as it is displayed, and the note that a write in this scope replaces. */
  async function current(
    { projectId, chipId }: ChipPlace,
    scope: NoteScope,
  ): Promise<{ shown: Note; own: StoredNote | null }> {
    if (scope.scope_type === 'global') {
      const { note } = await chips.mustGet(projectId, chipId);
      return { shown: noteOf(note), own: note };
    }
    const { effective, own } = await notes.ofSubject({ projectId, chipId }, WHOLE_CHIP, scope);
    return { shown: effective ? noteOf(effective) : noNote, own };
  }

  async function put(
    place: ChipPlace,
    scope: NoteScope,
    note: StoredNote,
    precondition: Precondition | undefined,
  ): Promise<void> {
    const { projectId, chipId } = place;
    await saveIfMet(precondition, {
      read: () => current(place, scope),
      tagOf: ({ shown }) => entityTagOf(shown),
      async write(expected) {
        const isWritten =
          scope.scope_type === 'global'
            ? await chips.ownNotes.putChip(projectId, chipId, note, expected?.own ?? undefined)
            : await notes.put({ place, about: WHOLE_CHIP, scope }, note, expected?.own);
        return isWritten || null;
      },
    });
  }

  async function addEvent(
    { projectId, chipId }: ChipPlace,
    scope: Pick<NoteScope, 'scope_key' | 'scope_type' | 'cooldown_id'>,
    content: string | null,
    { actor, at }: { actor: Actor; at: Date },
  ): Promise<void> {
    await events.add(
      {
        project_id: projectId,
        chip_id: chipId,
        scope: 'chip',
        target_id: chipId,
        metric_key: '',
        action: content === null ? 'delete' : 'upsert',
        content: content ?? '',
        extra: {
          scope_key: scope.scope_key,
          scope_type: scope.scope_type,
          cooldown_id: scope.cooldown_id ?? '',
        },
      },
      actor,
      at,
    );
  }

  return {
    /** The effective note in the scope of a request; empty if there is none. @throws not_found */
    async read(place: ChipPlace, query: ScopeQuery): Promise<Note> {
      const { shown } = await current(place, await scopes.resolve(place, query));
      return shown;
    },

    /** @throws not_found for an unknown chip or cool-down, precondition_failed */
    async put(
      place: ChipPlace,
      query: ScopeQuery,
      { content, actor }: { content: string; actor: Actor },
      precondition?: Precondition,
    ): Promise<Note> {
      const scope = await scopes.resolve(place, query);
      const at = new Date();
      const note = { content, updated_by: actor.username, updated_at: at };
      await put(place, scope, note, precondition);
      await addEvent(place, scope, content, { actor, at });
      return noteOf(note);
    },

    /** Records an event for a note that was written on the chip itself together with other changes. */
    async addOwnNoteEvent(place: ChipPlace, content: string, actor: Actor): Promise<void> {
      const own = { scope_key: 'global', scope_type: 'global', cooldown_id: null } as const;
      await addEvent(place, own, content, { actor, at: new Date() });
    },

    /** Removes the note if there is one. @throws not_found for an unknown chip or cool-down, precondition_failed */
    async remove(
      place: ChipPlace,
      query: ScopeQuery,
      actor: Actor,
      precondition?: Precondition,
    ): Promise<void> {
      const scope = await scopes.resolve(place, query);
      const at = new Date();
      if (scope.scope_type === 'global') {
        await put(place, scope, { content: '', updated_by: actor.username, updated_at: at }, precondition);
      } else {
        await saveIfMet(precondition, {
          read: () => current(place, scope),
          tagOf: ({ shown }) => entityTagOf(shown),
          async write(expected) {
            // Without a note of its own in the scope there is nothing to remove.
            if (expected?.own === null) return true;
            const isRemoved = await notes.remove(place, WHOLE_CHIP, scope, expected?.own);
            // Without an expected note, it does not matter whether there was one.
            return isRemoved || expected === undefined || null;
          },
        });
      }
      await addEvent(place, scope, null, { actor, at });
    },
  };
}
