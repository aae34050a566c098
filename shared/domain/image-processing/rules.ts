/** Maximum number of pixels of an uploaded image. Cameras produce fewer; a small file can decompress to far more. */
export const MAX_PIXELS = 50_000_000;
/** Maximum number of frames of an animated image, and of pixels in all its frames. Drawing that many takes a few seconds. */
export const MAX_FRAMES = 300;
export const MAX_MOVING_PIXELS = 25_000_000;
/** Maximum side length of a stored image in pixels; larger images are scaled down. */
export const MAX_SIDE = 4096;

const imageFormats = ['png', 'jpeg', 'gif', 'webp'] as const;
export type ImageFormat = (typeof imageFormats)[number];

/** First bytes of a file of each format; null matches any byte. */
const beginnings: Readonly<Record<ImageFormat, readonly (readonly (number | null)[])[]>> = {
  png: [[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  jpeg: [[0xff, 0xd8, 0xff]],
  gif: [[...Buffer.from('GIF87a')], [...Buffer.from('GIF89a')]],
  webp: [[...Buffer.from('RIFF'), null, null, null, null, ...Buffer.from('WEBP')]],
};

/** Detects the image format from the first bytes, ignoring the file name and the declared type; null for any other file. */
export function formatOf(content: Uint8Array): ImageFormat | null {
  const begins = (beginning: readonly (number | null)[]) =>
    beginning.every((byte, at) => byte === null || content[at] === byte);
  return imageFormats.find((format) => beginnings[format].some(begins)) ?? null;
}

/** File name extensions, one for each stored format. */
export type ImageEnding = 'png' | 'jpg' | 'gif' | 'webp';

/** File name extension of the format in which an image is stored. */
export function keptAs(format: ImageFormat, isAnimated: boolean): ImageEnding {
  if (format === 'jpeg') return 'jpg';
  // A still GIF is stored without loss.
  if (format === 'gif' && !isAnimated) return 'png';
  return format;
}
