import { type ImagePlace, imagePlaces } from './model.ts';

/** Maximum size of an upload in bytes. */
export const MAX_UPLOAD_BYTES = 5 * 1024 * 1024;
/** The image that an address in a text refers to, with or without the prefix `/api`; null for any other address. */
export function imageAt(address: string): { place: ImagePlace; name: string } | null {
  const [, place, name = ''] = /^(?:\/api)?\/(\w+)\/images\/([^/?#]+)$/.exec(address) ?? [];
  const known = imagePlaces.find((each) => each === place);
  return known && isImageName(name) ? { place: known, name } : null;
}

/** Matches image names anywhere in a text. */
export const IMAGE_NAME = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.(?:png|jpg|gif|webp)/g;

/** Whether this is a valid image name, in the current or the older form. */
export function isImageName(name: string): boolean {
  return /^[0-9a-f-]{36}\.(?:png|jpg|gif|webp)$/.test(name);
}
