import type { ImageEnding } from './rules.ts';

/** What a process is given. */
export interface ImageJob {
  content: Uint8Array;
  /** Longest side of a PNG in pixels; null: the image is kept in its own format, scaled to the most that is kept. */
  fitTo: number | null;
}

export interface ConvertedImage {
  content: Uint8Array;
  ending: ImageEnding;
}

/** A drawn image, or a sentence that says why there is none. */
export type ImageAnswer = ConvertedImage | { problem: string };
