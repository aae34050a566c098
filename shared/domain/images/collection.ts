import { rm } from 'node:fs/promises';
import type { Collection } from 'mongodb';
import { keyOf } from '../../kernel/ids.ts';
import type { ImageDocument } from './model.ts';
import { IMAGE_NAME } from './rules.ts';

/** Milliseconds for which an image waits for a text to show it: longer than somebody writes on one. */
const WAITING = 7 * 86_400_000;
/** Images that are collected in one round. */
const ROUND = 200;
/** Names that one text may have; what is behind them is not looked at. */
const MOST_NAMES = 1000;

/**
 * Collects images that no text ever showed. An image is marked as shown before the text is stored that shows it, and
 * stays from then on.
 */
export function createImageCollection(
  images: Collection<ImageDocument>,
  pathIn: (image: ImageDocument) => string,
) {
  return {
    /** Notes that a text that is about to be stored shows images: those of its project, or whose ever for one of a person. */
    async noteShown(text: string, projectId?: string): Promise<void> {
      if (!text.includes('/images/')) return;
      const names = [...new Set(text.match(IMAGE_NAME) ?? [])].slice(0, MOST_NAMES);
      if (names.length === 0) return;
      const named =
        projectId === undefined
          ? { name: { $in: names } }
          : { _id: { $in: names.map((name) => keyOf(projectId, name)) } };
      await images.updateMany({ ...named, state: 'waiting' }, { $set: { state: 'shown' } });
    },

    /** Removes images that waited too long. One that is being removed is shown no more, whatever ends this process. */
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
