import { rm } from 'node:fs/promises';
import type { Collection } from 'mongodb';
import { keyOf, type ProjectId } from '../../kernel/ids.ts';
import type { ImageDocument } from './model.ts';
import { IMAGE_NAME } from './rules.ts';

/** Milliseconds that an image may wait for a text that shows it: longer than writing a text takes. */
const WAITING = 7 * 86_400_000;
/** Maximum number of images collected in one round. */
const ROUND = 200;
/** Maximum number of image names in one text; further ones are ignored. */
const MAX_NAMES = 1000;

/**
 * Collects images that no text ever showed. An image is marked as shown before the text that shows it is stored; from
 * then on it is kept.
 */
export function createImageCollection(
  images: Collection<ImageDocument>,
  pathIn: (image: ImageDocument) => string,
) {
  return {
    /** Marks the images of a text as shown before the text is stored. Without a project, images of any project match. */
    async noteShown(text: string, projectId?: ProjectId): Promise<void> {
      if (!text.includes('/images/')) return;
      const names = [...new Set(text.match(IMAGE_NAME) ?? [])].slice(0, MAX_NAMES);
      if (names.length === 0) return;
      const named =
        projectId === undefined
          ? { name: { $in: names } }
          : { _id: { $in: names.map((name) => keyOf(projectId, name)) } };
      await images.updateMany({ ...named, state: 'waiting' }, { $set: { state: 'shown' } });
    },

    /** Removes images that waited too long. An image marked for removal is no longer shown, even if this process stops midway. */
    async collect(now = new Date()): Promise<void> {
      const before = { $lt: new Date(now.getTime() - WAITING) };
      const old = await images
        .find({ state: 'waiting', created_at: before })
        .sort({ created_at: 1 })
        .limit(ROUND)
        .toArray();
      for (const { _id } of old) {
        await images.updateOne({ _id, state: 'waiting' }, { $set: { state: 'leaving' } });
      }
      const leaving = await images.find({ state: 'leaving' }).sort({ created_at: 1 }).limit(ROUND).toArray();
      const failed: unknown[] = [];
      for (const image of leaving) {
        try {
          await rm(pathIn(image), { force: true });
          await images.deleteOne({ _id: image._id, state: 'leaving' });
        } catch (thrown) {
          failed.push(thrown);
        }
      }
      if (failed.length > 0) throw failed[0];
    },
  };
}
