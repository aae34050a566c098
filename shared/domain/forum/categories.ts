import { setTimeout } from 'node:timers/promises';
import type { Collection } from 'mongodb';
import { type CollectionIndexes, type Db, isDuplicateKey, retryDuplicateKey } from '../../kernel/database.ts';
import { CalibronError } from '../../kernel/errors.ts';
import { keyOf, type ProjectId } from '../../kernel/ids.ts';
import { insertNew } from '../../kernel/insert-new.ts';
import { newId } from '../../kernel/new-ids.ts';
import { assertRoomWithin } from '../../kernel/quotas.ts';
import {
  type Category,
  type CategoryChange,
  type CategoryDocument,
  MAX_SORT_ORDER,
  type NewCategory,
} from './model.ts';
import { defaultCategories, keyOfName, wrongField } from './rules.ts';
import { categoryOf } from './wire.ts';

/** Position of the first category added without one, and the step to the next. */
const FIRST_PLACE = 100;
const STEP = 10;

export const archivingIndexes: CollectionIndexes = { collection: 'forum_archiving', indexes: [] };

/** Milliseconds after which a dead process loses its turn, and interval for checking for a free turn. */
const TURN_TIME = 5_000;
const LOOK_EVERY = 20;

/** Which request may currently archive a category of a project; `_id` is the project's. */
interface TurnDocument {
  _id: string;
  project_id: ProjectId;
  token: string;
  until: Date;
}

/** Runs work while no other request of the project does. @throws conflict when the others take too long */
async function inTurn<T>(
  turns: Collection<TurnDocument>,
  projectId: ProjectId,
  act: () => Promise<T>,
): Promise<T> {
  const token = newId();
  const givenUp = Date.now() + 2 * TURN_TIME;
  for (;;) {
    const now = Date.now();
    const turn = { project_id: projectId, token, until: new Date(now + TURN_TIME) };
    try {
      // While another turn is valid, the upsert fails with a duplicate key.
      await turns.updateOne(
        { _id: projectId, until: { $lte: new Date(now) } },
        { $set: turn },
        { upsert: true },
      );
      break;
    } catch (thrown) {
      if (!isDuplicateKey(thrown)) throw thrown;
      if (now > givenUp)
        throw new CalibronError('conflict', 'Other categories are being archived. Try again.');
      await setTimeout(LOOK_EVERY);
    }
  }
  try {
    return await act();
  } finally {
    await turns.deleteOne({ _id: projectId, token });
  }
}

export type Categories = ReturnType<typeof createCategories>;

/** Categories of threads. A project starts with default ones. */
export function createCategories(db: Db, limit: number) {
  const categories = db.collection<CategoryDocument>('forum_categories');
  const turns = db.collection<TurnDocument>(archivingIndexes.collection);

  /** Creates the default categories of a project that has none. */
  async function prepare(projectId: ProjectId): Promise<void> {
    if (await categories.findOne({ project_id: projectId }, { projection: { _id: 1 } })) return;
    const created_at = new Date();
    const missing = defaultCategories.map((preset) => ({
      updateOne: {
        filter: { _id: keyOf(projectId, preset.key) },
        update: {
          $setOnInsert: { id: newId(), project_id: projectId, ...preset, is_archived: false, created_at },
        },
        upsert: true,
      },
    }));
    await retryDuplicateKey(() => categories.bulkWrite(missing, { ordered: false }));
  }

  async function stored(projectId: ProjectId): Promise<CategoryDocument[]> {
    await prepare(projectId);
    return categories
      .find({ project_id: projectId })
      .sort({ sort_order: 1, created_at: 1, key: 1 })
      .toArray();
  }

  async function set(
    projectId: ProjectId,
    key: string,
    fields: Partial<CategoryDocument>,
  ): Promise<CategoryDocument> {
    const _id = keyOf(projectId, key);
    const changed =
      Object.keys(fields).length === 0
        ? await categories.findOne({ _id })
        : await categories.findOneAndUpdate({ _id }, { $set: fields }, { returnDocument: 'after' });
    if (!changed) throw unknownCategory();
    return changed;
  }

  const isLast = async (projectId: ProjectId, key: string) =>
    !(await categories.findOne({ project_id: projectId, is_archived: false, key: { $ne: key } }));

  /**
   * Archives a category and changes it. Requests of a project take turns, so that at least one category stays open. @throws
   * not_found, conflict
   */
  async function archive(projectId: ProjectId, key: string, fields: Partial<CategoryDocument>) {
    await prepare(projectId);
    return inTurn(turns, projectId, async () => {
      const before = await categories.findOne({ _id: keyOf(projectId, key) });
      if (!before) throw unknownCategory();
      if (!before.is_archived && (await isLast(projectId, key))) throw lastCategory();
      return set(projectId, key, { ...fields, is_archived: true });
    });
  }

  return {
    /** The categories of a project, sorted. */
    async list(projectId: ProjectId, includeArchived: boolean): Promise<{ categories: Category[] }> {
      const all = await stored(projectId);
      return {
        categories: all.filter((each) => includeArchived || !each.is_archived).map(categoryOf),
      };
    },

    /** @throws conflict for a key that is taken, invalid_input for a name that yields no key, quota_exceeded */
    async create(projectId: ProjectId, wanted: NewCategory): Promise<Category> {
      const key = wanted.key ?? keyOfName(wanted.name);
      if (key === '')
        throw wrongField('name', 'value_error', 'should have letters or digits, or a key with it');
      const all = await stored(projectId);
      assertRoomWithin(
        {
          holder: 'This project',
          things: 'categories',
          limit,
          setting: 'FORUM_CATEGORIES_PER_PROJECT',
          remedy: 'Restore or rename one of them',
        },
        all.length,
      );
      const document: CategoryDocument = {
        _id: keyOf(projectId, key),
        id: newId(),
        project_id: projectId,
        key,
        name: wanted.name,
        description: wanted.description ?? '',
        color: wanted.color ?? 'neutral',
        icon: wanted.icon ?? 'message-square',
        sort_order: wanted.sort_order ?? placeAfter(all),
        is_archived: false,
        created_at: new Date(),
      };
      try {
        await insertNew(categories, document);
      } catch (thrown) {
        if (!isDuplicateKey(thrown)) throw thrown;
        throw new CalibronError('conflict', `There is a category ${key} already; it may be archived.`);
      }
      return categoryOf(document);
    },

    /** Changes the given fields. @throws not_found, conflict for archiving the last one */
    async change(projectId: ProjectId, key: string, wanted: CategoryChange): Promise<Category> {
      const given: Partial<CategoryDocument> = Object.fromEntries(
        Object.entries(wanted).filter(([, value]) => value !== null && value !== undefined),
      );
      await prepare(projectId);
      return categoryOf(
        given.is_archived ? await archive(projectId, key, given) : await set(projectId, key, given),
      );
    },

    /** Archives a category; its threads keep it. Safe to repeat. @throws not_found, conflict for the last one */
    async remove(projectId: ProjectId, key: string): Promise<void> {
      await archive(projectId, key, {});
    },

    /** @throws invalid_input for a category in which no thread may be started */
    async assertOpen(projectId: ProjectId, key: string): Promise<void> {
      await prepare(projectId);
      const found = await categories.findOne({ _id: keyOf(projectId, key) });
      if (!found || found.is_archived) {
        throw wrongField(
          'category',
          'value_error',
          'should be a category of the project that is not archived',
        );
      }
    },
  };
}

function unknownCategory(): CalibronError {
  return new CalibronError('not_found', 'There is no such category in this project.');
}

function lastCategory(): CalibronError {
  return new CalibronError('conflict', 'This is the last category; add or restore another one first.');
}

/** A position after all others. */
function placeAfter(all: readonly CategoryDocument[]): number {
  const last = all.reduce((most, { sort_order }) => Math.max(most, sort_order), 0);
  return Math.min(MAX_SORT_ORDER, Math.max(FIRST_PLACE, last + STEP));
}
