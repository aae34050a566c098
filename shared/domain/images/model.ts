import { z } from 'zod';

/** Where an image was uploaded for. */
export const imagePlaces = ['forum', 'issues'] as const;
export type ImagePlace = (typeof imagePlaces)[number];

/** Answer of an upload. */
export const uploadedImage = z.object({
  url: z.string().describe('Address of the image on the API, to be put into a text.'),
});

/** Media types in which images are kept, by the ending of their names. */
export const imageMediaTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};

/** `_id` is `<project>/<name>`. */
export interface ImageDocument {
  _id: string;
  project_id: string;
  /** A random id and an ending. */
  name: string;
  place: ImagePlace;
  bytes: number;
  uploaded_by_user_id: string;
  /** Waiting for a text to show it, shown by one, or being removed; absent for images of earlier days, which stay. */
  state?: 'waiting' | 'shown' | 'leaving';
  created_at: Date;
}
