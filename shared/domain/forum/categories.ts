import { type Db, isDuplicateKey, retryDuplicateKey } from '../../kernel/database.ts';
import { CalibronError } from '../../kernel/errors.ts';
import { keyOf, newId } from '../../kernel/ids.ts';
import { insertNew } from '../../kernel/insert-new.ts';
import { assertRoomWithin } from '../../kernel/quotas.ts';
import type { Category, CategoryChange, CategoryDocument, NewCategory } from './model.ts';
import { defaultCategories, keyOfName, wrongField } from './rules.ts';
import { categoryOf } from './wire.ts';

/** Place of categories that are added without one: those of one place stand in the order in which they came. */
const PLACE = 100;

export type Categories = ReturnType<typeof createCategories>;

/** What threads are filed under. A project begins with some. */
export function createCategories(db: Db, limit: number) {
  const categories = db.collection<CategoryDocument>('forum_categories');

  /** Gives a project that has none the default ones. */
  async function prepare(projectId: string): Promise<void> {
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

  async function stored(projectId: string): Promise<CategoryDocument[]> {
    await prepare(projectId);
    return categories
      .find({ project_id: projectId })
      .sort({ sort_order: 1, created_at: 1, key: 1 })
      .toArray();
  }

  async function set(
    projectId: string,
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

  const isLast = async (projectId: string, key: string) =>
    !(await categories.findOne({ project_id: projectId, is_archived: false, key: { $ne: key } }));

  /** Archives a category and changes it. Of several at once that would leave none, each is refused. @throws not_found, conflict */
  async function archive(projectId: string, key: string, fields: Partial<CategoryDocument>) {
    await prepare(projectId);
    const before = await categories.findOne({ _id: keyOf(projectId, key) });
    if (!before) throw unknownCategory();
    const change = { ...fields, is_archived: true };
    if (before.is_archived) return set(projectId, key, change);
    if (await isLast(projectId, key)) throw lastCategory();
    const archived = await set(projectId, key, change);
    if (!(await isLast(projectId, key))) return archived;
    // Others were archived meanwhile.
    await categories.replaceOne({ _id: before._id }, before);
    throw lastCategory();
  }

  return {
    /** The categories of a project in their order. */
    async list(projectId: string, includeArchived: boolean): Promise<{ categories: Category[] }> {
      const all = await stored(projectId);
      return {
        categories: all.filter((each) => includeArchived || !each.is_archived).map(categoryOf),
      };
    },

    /** @throws conflict for a key that is taken, invalid_input for a name that gives none, quota_exceeded */
    async create(projectId: string, wanted: NewCategory): Promise<Category> {
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
        sort_order: wanted.sort_order ?? PLACE,
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

    /** Changes what is given. @throws not_found, conflict for archiving the last one */
    async change(projectId: string, key: string, wanted: CategoryChange): Promise<Category> {
      const given: Partial<CategoryDocument> = Object.fromEntries(
        Object.entries(wanted).filter(([, value]) => value !== null && value !== undefined),
      );
      await prepare(projectId);
      return categoryOf(
        given.is_archived ? await archive(projectId, key, given) : await set(projectId, key, given),
      );
    },

    /** Archives a category; threads keep it. Safe to repeat. @throws not_found, conflict for the last one */
    async remove(projectId: string, key: string): Promise<void> {
      await archive(projectId, key, {});
    },

    /** @throws invalid_input for a category in which no thread may be begun */
    async assertOpen(projectId: string, key: string): Promise<void> {
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
