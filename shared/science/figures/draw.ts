import { createCanvas } from '@napi-rs/canvas';
import { FONT_FAMILY } from './font.ts';
import type { Figure } from './model.ts';
import { paintFigure } from './paint-figure.ts';
import { encodePng } from './png.ts';
import { LIGHT, type Theme } from './theme.ts';

/**
 * Pixels of the PNG for each pixel of the figure: sharp on dense screens, with about half the pixels of a factor of 2.
 */
const SCALE = 1.5;

/** One canvas for all figures, because native memory of canvases is released late. */
const canvas = createCanvas(1, 1);

function resize(width: number, height: number): void {
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
}

/**
 * Draws a figure as PNG, one and a half times its size in pixels, on an opaque background so that it reads on light and
 * dark pages alike.
 */
export function drawPng(figure: Figure, theme: Theme = LIGHT): Uint8Array {
  const { width, height } = figure.layout;
  resize(Math.round(SCALE * width), Math.round(SCALE * height));
  paintFigure(canvas.getContext('2d'), figure, { scale: SCALE, font: FONT_FAMILY, theme });
  return encodePng(canvas.data(), canvas.width, canvas.height);
}
