import { type ImagePlace, imagePlaces } from './model.ts';

/** Bytes of an upload. */
export const MAX_UPLOAD_BYTES = 5 * 1024 * 1024;
/** Pixels of an upload: more than cameras make, far less than a file of that size can unfold to. */
export const MAX_PIXELS = 50_000_000;
/** Pictures of an image that moves, and pixels of all of them together: so much is drawn anew in a few seconds. */
export const MAX_FRAMES = 300;
export const MAX_MOVING_PIXELS = 25_000_000;
/** Pixels of a side as it is kept; larger images are scaled down. */
export const MAX_SIDE = 4096;

const imageFormats = ['png', 'jpeg', 'gif', 'webp'] as const;
export type ImageFormat = (typeof imageFormats)[number];

/** How a file of each format begins; a null stands for any byte. */
const beginnings: Readonly<Record<ImageFormat, readonly (readonly (number | null)[])[]>> = {
  png: [[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  jpeg: [[0xff, 0xd8, 0xff]],
  gif: [[...Buffer.from('GIF87a')], [...Buffer.from('GIF89a')]],
  webp: [[...Buffer.from('RIFF'), null, null, null, null, ...Buffer.from('WEBP')]],
};

/** The format of an image by its first bytes, whatever its name and its sender say; null for any other file. */
export function formatOf(content: Uint8Array): ImageFormat | null {
  const begins = (beginning: readonly (number | null)[]) =>
    beginning.every((byte, at) => byte === null || content[at] === byte);
  return imageFormats.find((format) => beginnings[format].some(begins)) ?? null;
}

/** Endings of the names of images, by which their formats are told. */
export type ImageEnding = 'png' | 'jpg' | 'gif' | 'webp';

/** In which format an image is kept. */
export function keptAs(format: ImageFormat, moves: boolean): ImageEnding {
  if (format === 'jpeg') return 'jpg';
  // One picture, without loss.
  if (format === 'gif' && !moves) return 'png';
  return format;
}

/** The image that an address in a text shows, under `/api` or not; null for any other address. */
export function imageAt(address: string): { place: ImagePlace; name: string } | null {
  const [, place, name = ''] = /^(?:\/api)?\/(\w+)\/images\/([^/?#]+)$/.exec(address) ?? [];
  const known = imagePlaces.find((each) => each === place);
  return known && isImageName(name) ? { place: known, name } : null;
}

/** Names of images wherever they stand in a text. */
export const IMAGE_NAME = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.(?:png|jpg|gif|webp)/g;

/** Whether this is the name of an image as uploads are given, and were in earlier days. */
export function isImageName(name: string): boolean {
  return /^[0-9a-f-]{36}\.(?:png|jpg|gif|webp)$/.test(name);
}
