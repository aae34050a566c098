import type { Chips } from '../chips/index.ts';
import type { TargetKind } from '../chips/model.ts';
import { targetKinds } from '../chips/model.ts';
import { noteOf } from '../chips/wire.ts';
import type { TaskResultStore } from '../results/index.ts';
import type { createComments } from './comments.ts';
import type { ChipPlace, NotesSummary, ScopeQuery, TargetNotes } from './model.ts';
import { isUnscoped } from './scope-rules.ts';
import type { Scopes } from './scopes.ts';
import type { ScopedNotes } from './store.ts';
import { commentOf, noNote, splitReview } from './wire.ts';

/** Maximum number of task notes in a summary. */
const TASK_NOTES = 1000;

/** All notes and comments on a chip's targets in a scope, in one answer. */
export function createNotesSummary(needs: {
  chips: Chips;
  scopes: Scopes;
  notes: ScopedNotes;
  comments: Pick<ReturnType<typeof createComments>, 'shownIn'>;
  results: Pick<TaskResultStore, 'withNote'>;
}) {
  const { chips, scopes, notes, comments, results } = needs;

  /** @throws not_found for an unknown chip or cool-down */
  return async (place: ChipPlace, query: ScopeQuery): Promise<NotesSummary> => {
    const { projectId, chipId } = place;
    const scope = await scopes.resolve(place, query);
    const [rows, found, tasks, ...own] = await Promise.all([
      notes.ofTargets(place, scope),
      comments.shownIn(projectId, chipId, scope),
      results.withNote(projectId, chipId, TASK_NOTES),
      ...targetKinds.map((kind) => (isUnscoped(scope) ? chips.ownNotes.noted(kind, projectId, chipId) : [])),
    ]);
    const targets = new Map<string, TargetNotes>();
    const targetOf = (kind: TargetKind, target_id: string): TargetNotes => {
      const key = `${kind}/${target_id}`;
      const target = targets.get(key) ?? { target_id, note: noNote, comments: [], metric_notes: {} };
      targets.set(key, target);
      return target;
    };
    for (const [index, kind] of targetKinds.entries()) {
      for (const { qid, note, metric_notes } of own[index] ?? []) {
        const target = targetOf(kind, qid);
        if (note.updated_at !== null) target.note = noteOf(note);
        for (const [key, each] of Object.entries(metric_notes)) target.metric_notes[key] = noteOf(each);
      }
    }
    for (const { target_type, target_id, metric_key, subject, note } of rows) {
      if (target_type === null) continue;
      const target = targetOf(target_type, target_id);
      if (subject === 'metric') target.metric_notes[metric_key] = noteOf(note);
      else target.note = noteOf(note);
    }
    for (const each of found) targetOf(each.target_type, each.target_id).comments.push(commentOf(each));
    const ofKind = (kind: TargetKind) =>
      [...targets]
        .filter(([key]) => key.startsWith(`${kind}/`))
        .map(([, target]) => target)
        .sort((a, b) => byNumbers(a.target_id, b.target_id));
    return {
      chip_id: chipId,
      qubits: ofKind('qubit'),
      couplings: ofKind('coupling'),
      task_notes: tasks.map(({ task_id, qid, user_note, ai_review_note }) => ({
        task_id,
        qid,
        ...splitReview(user_note ?? noNote),
        ...(ai_review_note && { ai_review_note }),
      })),
    };
  };
}

/** Sorts `2` before `10` and `0-2` before `0-10`. */
function byNumbers(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true });
}
