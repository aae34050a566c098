import type { Sharp } from 'sharp';
import { CalibronError } from '../../kernel/errors.ts';
import {
  formatOf,
  type ImageEnding,
  keptAs,
  MAX_FRAMES,
  MAX_MOVING_PIXELS,
  MAX_PIXELS,
  MAX_SIDE,
} from './rules.ts';

/** Seconds of work on one image. */
const WORK_LIMIT = 10;
/** Images that are worked on at once, each with up to 200 MB, and those that may wait. */
const AT_ONCE = 2;
const WAITING = 20;

export interface ConvertedImage {
  content: Buffer;
  ending: ImageEnding;
}

/** Draws uploaded images anew, so that what is kept is a picture and nothing else. */
export function createConversion() {
  let working = 0;
  const queue: (() => void)[] = [];

  async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (working >= AT_ONCE) {
      if (queue.length >= WAITING) {
        throw new CalibronError('too_many_requests', 'Too many images are being uploaded; try again.', {
          retryAfter: 5,
        });
      }
      await new Promise<void>((resolve) => queue.push(resolve));
    } else {
      working += 1;
    }
    try {
      return await work();
    } finally {
      // Whoever is next takes over the place.
      const next = queue.shift();
      if (next) next();
      else working -= 1;
    }
  }

  /**
   * The picture of an upload, upright, at most so large, without anything that its file says of camera or place.
   * @throws bad_request for what is no picture of a known kind, is too large or broken; too_many_requests
   */
  return (content: Buffer): Promise<ConvertedImage> => inTurn(() => convert(content));
}

async function convert(upload: Buffer): Promise<ConvertedImage> {
  const format = formatOf(upload);
  if (format === null) throw refused('Upload a PNG, JPEG, GIF or WebP image.');
  // The library is large, and most processes never convert anything.
  const { default: sharp } = await import('sharp');
  const options = { limitInputPixels: MAX_PIXELS, failOn: 'error' } as const;
  const {
    width,
    height,
    pages = 1,
  } = await sharp(upload, options)
    .metadata()
    .catch((thrown: unknown) => {
      throw refused('The image cannot be read.', thrown);
    });
  if (width * height > MAX_PIXELS) {
    throw refused(`The image has ${width} × ${height} pixels; upload one with at most ${MAX_PIXELS} in all.`);
  }
  const moves = pages > 1;
  if (moves && (pages > MAX_FRAMES || width * height * pages > MAX_MOVING_PIXELS)) {
    throw refused(
      `The image moves in ${pages} pictures of ${width} × ${height} pixels; upload one with at most ${MAX_FRAMES} pictures and ${MAX_MOVING_PIXELS} pixels in all.`,
    );
  }
  const ending = keptAs(format, moves);
  const drawn = sharp(upload, { ...options, animated: moves })
    .timeout({ seconds: WORK_LIMIT })
    .autoOrient()
    .resize({ width: MAX_SIDE, height: MAX_SIDE, fit: 'inside', withoutEnlargement: true });
  const content = await encoded(drawn, ending)
    .toBuffer()
    .catch((thrown: unknown) => {
      throw refused('The image is broken, or takes too long to draw.', thrown);
    });
  return { content, ending };
}

function encoded(drawn: Sharp, ending: ImageEnding): Sharp {
  switch (ending) {
    case 'png':
      return drawn.png();
    case 'jpg':
      return drawn.jpeg({ quality: 90 });
    case 'gif':
      return drawn.gif({ effort: 3 });
    case 'webp':
      return drawn.webp({ quality: 90 });
  }
}

function refused(sentence: string, cause?: unknown): CalibronError {
  return new CalibronError('bad_request', sentence, { cause });
}
