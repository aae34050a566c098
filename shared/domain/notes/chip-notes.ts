import type { Actor } from '../accounts/model.ts';
import type { Chips } from '../chips/index.ts';
import { noteOf } from '../chips/wire.ts';
import type { NoteEvents } from './events.ts';
import type { ChipPlace, Note, NoteScope, NoteSubject, ScopeQuery } from './model.ts';
import type { Scopes } from './scopes.ts';
import type { ScopedNotes } from './store.ts';
import { noNote } from './wire.ts';

const WHOLE_CHIP: NoteSubject = { subject: 'chip', target_type: null, target_id: '', metric_key: '' };

/** The note of a chip as a whole: one for each cool-down or period, and one on the chip itself. */
export function createChipNotes(needs: {
  chips: Chips;
  scopes: Scopes;
  notes: ScopedNotes;
  events: NoteEvents;
}) {
  const { chips, scopes, notes, events } = needs;

  async function write(
    place: ChipPlace,
    scope: NoteScope,
    content: string | null,
    actor: Actor,
  ): Promise<Note> {
    const { projectId, chipId } = place;
    const at = new Date();
    const note = { content: content ?? '', updated_by: actor.username, updated_at: at };
    if (scope.scope_type === 'global') await chips.ownNotes.putChip(projectId, chipId, note);
    else if (content === null) await notes.remove(place, WHOLE_CHIP, scope);
    else await notes.put(place, WHOLE_CHIP, scope, note);
    await addEvent(place, scope, content, { actor, at });
    return noteOf(note);
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
    /** The note that counts in the scope of a request; an empty one where none does. @throws not_found */
    async read(place: ChipPlace, query: ScopeQuery): Promise<Note> {
      const scope = await scopes.resolve(place, query);
      if (scope.scope_type === 'global') return (await chips.read(place.projectId, place.chipId)).note;
      const note = await notes.ofChip(place, scope);
      return note ? noteOf(note) : noNote;
    },

    /** @throws not_found for an unknown chip or cool-down */
    async put(place: ChipPlace, query: ScopeQuery, content: string, actor: Actor): Promise<Note> {
      return write(place, await scopes.resolve(place, query), content, actor);
    },

    /** Tells of a note that was written on the chip itself, with other changes of it. */
    async noteOwn(place: ChipPlace, content: string, actor: Actor): Promise<void> {
      const own = { scope_key: 'global', scope_type: 'global', cooldown_id: null } as const;
      await addEvent(place, own, content, { actor, at: new Date() });
    },

    /** Takes the note away, if there is one. @throws not_found for an unknown chip or cool-down */
    async remove(place: ChipPlace, query: ScopeQuery, actor: Actor): Promise<void> {
      await write(place, await scopes.resolve(place, query), null, actor);
    },
  };
}
