import { CalibronError } from '../../kernel/errors.ts';
import type { Actor } from '../accounts/model.ts';
import type { Chips } from '../chips/index.ts';
import { noteOf } from '../chips/wire.ts';
import type { NoteEvents } from './events.ts';
import type { ChipPlace, Note, NoteScope, NoteSubject, NoteTarget, ScopeQuery } from './model.ts';
import { isWithoutScope } from './scope-rules.ts';
import type { Scopes } from './scopes.ts';
import type { ScopedNotes } from './store.ts';

/** Scope that a request without any has where the note stands on the target itself. */
const GLOBAL = { scope_key: 'global', scope_type: 'global', cooldown_id: '' };

/** What a note is about: a target (`metric` null) or one of its metrics. */
interface TargetSubject {
  target: NoteTarget;
  metric: string | null;
}

/** Notes on qubits and couplings and on their metrics. A write becomes the current note, and an event. */
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

  return {
    /**
     * Writes the note of a target (`metric` null) or of one of its metrics. Without a cool-down or period a target's
     * note stands on the target itself, a metric's in the scope of the moment.
     * @throws not_found for an unknown chip, target or cool-down
     */
    async put(
      place: ChipPlace,
      about: TargetSubject,
      query: ScopeQuery,
      { content, actor }: { content: string; actor: Actor },
    ): Promise<Note> {
      const { projectId, chipId } = place;
      const { target, metric } = about;
      await chips.readTarget(target.kind, projectId, chipId, target.qid);
      const at = new Date();
      const note = { content, updated_by: actor.username, updated_at: at };
      let extra: Record<string, string> = GLOBAL;
      if (metric === null && isWithoutScope(query)) {
        await chips.ownNotes.putTarget({ ...place, ...target }, note);
      } else {
        const scope = await scopes.resolve(place, query);
        await notes.put(place, subjectOf(about), scope, note);
        extra = extraOf(scope);
      }
      await addEvent(place, about, { action: 'upsert', content, extra }, { actor, at });
      return noteOf(note);
    },

    /**
     * Takes a note away. One on the target itself becomes empty and keeps its time.
     * @throws not_found for an unknown chip, target or cool-down, or where there is no such note
     */
    async remove(place: ChipPlace, about: TargetSubject, query: ScopeQuery, actor: Actor): Promise<void> {
      const { projectId, chipId } = place;
      const { target, metric } = about;
      await chips.readTarget(target.kind, projectId, chipId, target.qid);
      const at = new Date();
      let extra: Record<string, string> = GLOBAL;
      if (metric === null && isWithoutScope(query)) {
        const empty = { content: '', updated_by: actor.username, updated_at: at };
        if (!(await chips.ownNotes.clearTarget({ ...place, ...target }, empty))) {
          throw unknownNote();
        }
      } else {
        const scope = await scopes.resolve(place, query);
        extra = extraOf(scope);
        const removed = await notes.remove(place, subjectOf(about), scope);
        const older = !removed && metric !== null && scope.scope_type === 'global';
        if (!removed && !(older && (await chips.ownNotes.removeMetric({ ...place, ...target }, metric)))) {
          throw unknownNote();
        }
      }
      const what = { action: 'delete' as const, content: '', extra };
      await addEvent(place, about, what, { actor, at });
    },
  };
}
