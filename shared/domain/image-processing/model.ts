import type { ImageEnding } from './rules.ts';

/** Job sent to an image process. */
export interface ImageJob {
  content: Uint8Array;
  /** Longest side of the PNG in pixels; null keeps the image's own format, scaled down to the maximum stored size. */
  fitTo: number | null;
}

export interface ConvertedImage {
  content: Uint8Array;
  ending: ImageEnding;
}

/** A drawn image, or a message explaining why there is none. */
export type ImageAnswer = ConvertedImage | { problem: string };
