import { type CollectionIndexes, type Db, isDuplicateKey, retryDuplicateKey } from '../../kernel/database.ts';
import { keyOf } from '../../kernel/ids.ts';
import type { StoredNote } from '../chips/model.ts';
import { noteIs } from '../chips/rules.ts';
import type { ChipPlace, NoteScope, NoteSubject, ScopedNoteDocument } from './model.ts';
import { isShownIn, winnerOf } from './scope-rules.ts';

export const noteIndexes: readonly CollectionIndexes[] = [
  {
    collection: 'notes',
    indexes: [
      { name: 'by_scope', key: { project_id: 1, chip_id: 1, scope_key: 1 } },
      { name: 'by_type', key: { project_id: 1, chip_id: 1, scope_type: 1 } },
    ],
  },
  {
    collection: 'note_comments',
    indexes: [{ name: 'by_time', key: { project_id: 1, chip_id: 1, created_at: 1, comment_id: 1 } }],
  },
  {
    collection: 'note_events',
    indexes: [
      { name: 'by_chip', key: { project_id: 1, chip_id: 1, created_at: -1, _id: 1 } },
      { name: 'by_target', key: { project_id: 1, scope: 1, target_id: 1, created_at: -1, _id: 1 } },
      { name: 'by_word', key: { project_id: 1, words: 1, created_at: -1, _id: 1 } },
    ],
  },
];

/** Location of a scoped note. */
interface ScopedNotePlace {
  place: ChipPlace;
  about: NoteSubject;
  scope: NoteScope;
}

export type ScopedNotes = ReturnType<typeof createScopedNotes>;

/** Current notes by subject and scope: at most one for each. */
export function createScopedNotes(db: Db) {
  const notes = db.collection<ScopedNoteDocument>('notes');

  const keyOfNote = ({ projectId, chipId }: ChipPlace, about: NoteSubject, scope: NoteScope) =>
    keyOf(
      projectId,
      chipId,
      about.subject,
      about.target_type ?? '',
      about.target_id,
      encodeURIComponent(about.metric_key),
      scope.scope_key,
    );

  /** Rows that may be displayed in a scope. */
  async function rowsOf({ projectId, chipId }: ChipPlace, scope: NoteScope, narrower: object) {
    const chip = { project_id: projectId, chip_id: chipId };
    const [exact, ranges] = await Promise.all([
      notes.find({ ...chip, scope_key: scope.scope_key, ...narrower }).toArray(),
      scope.scope_type === 'global'
        ? []
        : notes.find({ ...chip, scope_type: 'time_range', ...narrower }).toArray(),
    ]);
    const rows = new Map([...ranges, ...exact].map((row) => [row._id, row]));
    return [...rows.values()].filter((row) => isShownIn(scope, row));
  }

  return {
    /**
     * Writes the note of a subject in a scope; among concurrent writers the last one wins.
     * @param expected the stored note required for the write, null for none
     * @returns whether it was written
     */
    async put(
      { place, about, scope }: ScopedNotePlace,
      note: StoredNote,
      expected?: StoredNote | null,
    ): Promise<boolean> {
      const _id = keyOfNote(place, about, scope);
      const fields = { $set: { note, ...scope } };
      if (expected) {
        const written = await notes.updateOne({ _id, ...noteIs(expected) }, fields);
        return written.matchedCount === 1;
      }
      const created = { project_id: place.projectId, chip_id: place.chipId, ...about };
      const upsert = (only: object) =>
        notes.updateOne({ _id, ...only }, { ...fields, $setOnInsert: created }, { upsert: true });
      if (expected === undefined) {
        await retryDuplicateKey(() => upsert({}));
        return true;
      }
      try {
        await upsert(noteIs(null));
        return true;
      } catch (thrown) {
        if (isDuplicateKey(thrown)) return false;
        throw thrown;
      }
    },

    /**
     * @param expected the stored note required for the removal
     * @returns whether there was a note
     */
    async remove(
      place: ChipPlace,
      about: NoteSubject,
      scope: NoteScope,
      expected?: StoredNote,
    ): Promise<boolean> {
      const _id = keyOfNote(place, about, scope);
      const removed = await notes.deleteOne({ _id, ...(expected && noteIs(expected)) });
      return removed.deletedCount === 1;
    },

    /**
     * The effective note of a subject in a scope, null if there is none, and the note that a write in this scope
     * replaces. The two differ if the scope has no note of its own.
     */
    async ofSubject(
      place: ChipPlace,
      about: NoteSubject,
      scope: NoteScope,
    ): Promise<{ effective: StoredNote | null; own: StoredNote | null }> {
      const rows = await rowsOf(place, scope, { ...about });
      const own = rows.find(({ scope_key }) => scope_key === scope.scope_key);
      return { effective: winnerOf(scope, rows)?.note ?? null, own: own?.note ?? null };
    },

    /** The effective note in a scope for each target and metric of a chip. */
    async ofTargets(place: ChipPlace, scope: NoteScope): Promise<ScopedNoteDocument[]> {
      const rows = await rowsOf(place, scope, { subject: { $in: ['target', 'metric'] } });
      const bySubject = new Map<string, ScopedNoteDocument[]>();
      for (const row of rows) {
        const key = JSON.stringify([row.target_type, row.target_id, row.subject, row.metric_key]);
        bySubject.set(key, [...(bySubject.get(key) ?? []), row]);
      }
      return [...bySubject.values()].flatMap((same) => winnerOf(scope, same) ?? []);
    },
  };
}
