import type { Db } from '../../kernel/database.ts';
import { keyOf, type ProjectId } from '../../kernel/ids.ts';
import { insertNew } from '../../kernel/insert-new.ts';
import { newId } from '../../kernel/new-ids.ts';
import type { Actor } from '../accounts/model.ts';
import type { Notifications } from '../notifications/index.ts';
import type { NoteEvent, NoteEventDocument, NoteEventList, NoteEventScope } from './model.ts';
import { notificationOf } from './notification-rules.ts';
import { noteEventOf } from './wire.ts';
import { askedWords, foundWords, indexedPieces } from './word-rules.ts';

/** Number of newest matches that a search ranks. */
const SEARCH_DEPTH = 2000;

interface Page {
  skip: number;
  limit: number;
}

export type NoteEvents = ReturnType<typeof createNoteEvents>;

/** Append-only log of every write and deletion of a note, in order. Users mentioned in a note are notified. */
export function createNoteEvents(db: Db, notify: Notifications['notify']) {
  const events = db.collection<NoteEventDocument>('note_events');

  async function list(filter: object, { skip, limit }: Page): Promise<NoteEventList> {
    const [found, total] = await Promise.all([
      events.find(filter).sort({ created_at: -1, _id: 1 }).skip(skip).limit(limit).toArray(),
      events.countDocuments(filter),
    ]);
    return { events: found.map(noteEventOf), total };
  }

  return {
    /** Records an action on a note. */
    async add(
      event: Omit<NoteEvent, 'actor' | 'actor_user_id' | 'created_at'>,
      actor: Actor,
      at: Date,
    ): Promise<void> {
      const id = newId();
      await insertNew(events, {
        _id: keyOf(event.project_id, id),
        ...event,
        actor_user_id: actor.user_id,
        actor: actor.username,
        created_at: at,
        words: indexedPieces(event.content),
      });
      if (event.action !== 'upsert') return;
      const { project_id: projectId, content: text } = event;
      await notify({
        projectId,
        actor,
        text,
        event: { source_type: 'note_event', source_id: id, ...notificationOf(event, at) },
      });
    },

    /** Events of the notes of a chip, newest first. */
    ofChip(projectId: ProjectId, chipId: string, page: Page): Promise<NoteEventList> {
      return list({ project_id: projectId, chip_id: chipId }, page);
    },

    /** Events of the notes of one target, newest first; without a chip, of all chips with such a target. */
    ofTarget(
      projectId: ProjectId,
      target: { scope: NoteEventScope; target_id: string; chip_id?: string | undefined },
      page: Page,
    ): Promise<NoteEventList> {
      const { scope, target_id, chip_id } = target;
      const filter = { project_id: projectId, scope, target_id };
      return list(chip_id === undefined ? filter : { ...filter, chip_id }, page);
    },

    /**
     * Events whose text contains a word of the query, also within a word. Events with more of its words come first, then
     * newer ones. If there are very many matches, only the newest are ranked.
     */
    async search(projectId: ProjectId, question: string, page: Page): Promise<NoteEventList> {
      const asked = askedWords(question);
      if (asked.length === 0) return { events: [], total: 0 };
      const filter = {
        project_id: projectId,
        // One piece of each word narrows the search by the index; the full match is checked afterwards. Release 0.2.0 indexed
        // whole words and prefixes.
        words: { $in: asked.flatMap(({ word, pieces }) => [word, ...pieces.slice(0, 1)]) },
        $or: asked.flatMap(({ word, pieces }) => [{ words: word }, { words: { $all: pieces } }]),
      };
      const newest = await events.find(filter).sort({ created_at: -1, _id: 1 }).limit(SEARCH_DEPTH).toArray();
      const scored = newest
        .map((event) => ({ event, score: foundWords(asked, event.content) }))
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score);
      const shown = scored.slice(page.skip, page.skip + page.limit);
      const total = newest.length < SEARCH_DEPTH ? scored.length : await events.countDocuments(filter);
      return { events: shown.map(({ event }) => noteEventOf(event)), total };
    },
  };
}
