import type { CollectionIndexes, Db } from '../../kernel/database.ts';
import { isDuplicateKey } from '../../kernel/database.ts';
import { keyOf, type ProjectId, type UserId } from '../../kernel/ids.ts';
import { insertNew } from '../../kernel/insert-new.ts';
import type { MenuBody, MenuDocument } from './model.ts';

export const menuIndexes: CollectionIndexes = {
  collection: 'menus',
  indexes: [
    { name: 'by_owner', key: { project_id: 1, user_id: 1, name: 1 }, unique: true },
    { name: 'by_name', key: { project_id: 1, name: 1, user_id: 1 } },
  ],
};

/** The owner of a menu. */
export interface MenuOwner {
  _id: UserId;
  username: string;
}

export type MenuStore = ReturnType<typeof createMenuStore>;

/** Menus, each of one user in one project. */
export function createMenuStore(db: Db) {
  const menus = db.collection<MenuDocument>(menuIndexes.collection);
  return {
    get: (projectId: ProjectId, userId: UserId, name: string) =>
      menus.findOne({ _id: keyOf(projectId, userId, name) }),

    /** The menus of a user, sorted by name. */
    ofUser: (projectId: ProjectId, userId: UserId) =>
      menus.find({ project_id: projectId, user_id: userId }).sort({ name: 1 }).toArray(),

    /** Menus with this name, of any owner; at most two, enough to show that the name is ambiguous. */
    ofName: (projectId: ProjectId, name: string) =>
      menus.find({ project_id: projectId, name }).sort({ user_id: 1 }).limit(2).toArray(),

    /** How many menus a project has. */
    count: (projectId: ProjectId) => menus.countDocuments({ project_id: projectId }),

    /** Stores a new menu; false if its owner already has one with that name. */
    async insert(projectId: ProjectId, owner: MenuOwner, body: MenuBody, now: Date): Promise<boolean> {
      try {
        await insertNew(menus, {
          ...body,
          _id: keyOf(projectId, owner._id, body.name),
          project_id: projectId,
          user_id: owner._id,
          username: owner.username,
          created_at: now,
          updated_at: now,
        });
        return true;
      } catch (thrown) {
        if (isDuplicateKey(thrown)) return false;
        throw thrown;
      }
    },

    /** Replaces a menu's content but not its name; false if there is no such menu. */
    async replace(
      { _id }: Pick<MenuDocument, '_id'>,
      { name: _name, ...body }: MenuBody,
      now: Date,
    ): Promise<boolean> {
      const { matchedCount } = await menus.updateOne({ _id }, { $set: { ...body, updated_at: now } });
      return matchedCount === 1;
    },

    /** Returns false if there is no such menu. */
    async remove(projectId: ProjectId, userId: UserId, name: string): Promise<boolean> {
      const { deletedCount } = await menus.deleteOne({ _id: keyOf(projectId, userId, name) });
      return deletedCount === 1;
    },
  };
}
