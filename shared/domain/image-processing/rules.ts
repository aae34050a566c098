/** Pixels of an upload: more than cameras make, far less than a file of that size can unfold to. */
export const MAX_PIXELS = 50_000_000;
/** Pictures of an image that moves, and pixels of all of them together: drawing that takes a few seconds. */
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

/** File name endings, one for each kept format. */
export type ImageEnding = 'png' | 'jpg' | 'gif' | 'webp';

/** Format in which an image is kept, as a file name ending. */
export function keptAs(format: ImageFormat, moves: boolean): ImageEnding {
  if (format === 'jpeg') return 'jpg';
  // A still GIF is kept without loss.
  if (format === 'gif' && !moves) return 'png';
  return format;
}
