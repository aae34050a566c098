import { CalibronError } from '../../kernel/errors.ts';
import { formatOf, keptAs, MAX_PIXELS, MAX_SIDE } from './rules.ts';

/** Seconds of work on one image. */
const WORK_LIMIT = 10;
/** Images that are worked on at once, each with up to 200 MB, and those that may wait. */
const AT_ONCE = 2;
const WAITING = 20;

export interface ConvertedImage {
  content: Buffer;
  ending: 'png' | 'jpg' | 'webp';
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
   * @throws bad_request for what is no picture of a known kind, moves, is too large or broken; too_many_requests
   */
  return (content: Buffer): Promise<ConvertedImage> => inTurn(() => convert(content));
}

async function convert(upload: Buffer): Promise<ConvertedImage> {
  const format = formatOf(upload);
  if (format === null) throw refused('Upload a PNG, JPEG, GIF or WebP image.');
  // The library is large, and most processes never convert anything.
  const { default: sharp } = await import('sharp');
  const options = { limitInputPixels: MAX_PIXELS, failOn: 'error', animated: false } as const;
  const {
    width,
    height,
    pages = 1,
  } = await sharp(upload, options)
    .metadata()
    .catch((thrown: unknown) => {
      throw refused('The image cannot be read.', thrown);
    });
  if (pages > 1) throw refused('The image moves; upload a still one.');
  if (width * height > MAX_PIXELS) {
    throw refused(`The image has ${width} × ${height} pixels; upload one with at most ${MAX_PIXELS} in all.`);
  }
  const ending = keptAs[format];
  const drawn = sharp(upload, options)
    .timeout({ seconds: WORK_LIMIT })
    .autoOrient()
    .resize({ width: MAX_SIDE, height: MAX_SIDE, fit: 'inside', withoutEnlargement: true });
  const encoded =
    ending === 'png'
      ? drawn.png()
      : ending === 'jpg'
        ? drawn.jpeg({ quality: 90 })
        : drawn.webp({ quality: 90 });
  const result = await encoded.toBuffer().catch((thrown: unknown) => {
    throw refused('The image is broken, or takes too long to draw.', thrown);
  });
  return { content: result, ending };
}

function refused(sentence: string, cause?: unknown): CalibronError {
  return new CalibronError('bad_request', sentence, { cause });
}
