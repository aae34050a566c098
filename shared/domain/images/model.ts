import { z } from 'zod';
import type { ProjectId, UserId } from '../../kernel/ids.ts';

/** Kind of text that an image was uploaded for. */
export const imagePlaces = ['forum', 'issues'] as const;
export type ImagePlace = (typeof imagePlaces)[number];

/** Response of an upload. */
export const uploadedImage = z.object({
  url: z.string().describe('Address of the image on the API, to be put into a text.'),
});

/** Media types of stored images, by file name extension. */
export const imageMediaTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};

/** `_id` is `<project>/<name>`. */
export interface ImageDocument {
  _id: string;
  project_id: ProjectId;
  /** A random id with an extension. */
  name: string;
  place: ImagePlace;
  bytes: number;
  uploaded_by_user_id: UserId;
  /** Waiting for a text that shows it, shown by a text, or being removed; absent for older images, which are kept. */
  state?: 'waiting' | 'shown' | 'leaving';
  created_at: Date;
}
