import sharp, { type Sharp } from 'sharp';
import { serveJobs } from '../../kernel/process-jobs.ts';
import type { ImageAnswer, ImageJob } from './model.ts';
import {
  formatOf,
  type ImageEnding,
  keptAs,
  MAX_FRAMES,
  MAX_MOVING_PIXELS,
  MAX_PIXELS,
  MAX_SIDE,
} from './rules.ts';

/** Time limit for one image, in seconds. */
const WORK_LIMIT = 10;

// The content of a file may have another format than the file claims. Only decoders of the accepted formats can run.
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: [
    'VipsForeignLoadPngBuffer',
    'VipsForeignLoadJpegBuffer',
    'VipsForeignLoadNsgifBuffer',
    'VipsForeignLoadWebpBuffer',
  ],
});
sharp.concurrency(1);
sharp.cache(false);

serveJobs(convert);

async function convert({ content, fitTo }: ImageJob): Promise<ImageAnswer> {
  const format = formatOf(content);
  if (format === null) return { problem: 'Upload a PNG, JPEG, GIF or WebP image.' };
  const options = { limitInputPixels: MAX_PIXELS, failOn: 'error' } as const;
  const found = await sharp(content, options)
    .metadata()
    .catch(() => null);
  if (!found) return { problem: 'The image cannot be read.' };
  const { width, height, pages = 1 } = found;
  if (width * height > MAX_PIXELS) {
    return {
      problem: `The image has ${width} × ${height} pixels; upload one with at most ${MAX_PIXELS} in all.`,
    };
  }
  const moves = fitTo === null && pages > 1;
  if (moves && (pages > MAX_FRAMES || width * height * pages > MAX_MOVING_PIXELS)) {
    return {
      problem: `The image moves in ${pages} pictures of ${width} × ${height} pixels; upload one with at most ${MAX_FRAMES} pictures and ${MAX_MOVING_PIXELS} pixels in all.`,
    };
  }
  const ending = fitTo === null ? keptAs(format, moves) : 'png';
  const side = fitTo ?? MAX_SIDE;
  const drawn = sharp(content, { ...options, animated: moves })
    .timeout({ seconds: WORK_LIMIT })
    .autoOrient()
    .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true });
  try {
    return { content: await encoded(drawn, ending).toBuffer(), ending };
  } catch {
    return { problem: 'The image is broken, or takes too long to draw.' };
  }
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
