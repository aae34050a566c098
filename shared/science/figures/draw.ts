import { createCanvas, ImageData } from '@napi-rs/canvas';
import { BarChart, LineChart, ScatterChart } from 'echarts/charts';
import { GraphicComponent, GridComponent, LegendComponent, TitleComponent } from 'echarts/components';
import { init, setPlatformAPI, use } from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';
import { figureOption } from './figure-option.ts';
import { FONT_FAMILY } from './font.ts';
import type { PaintImage } from './heatmap-option.ts';
import type { Figure } from './model.ts';
import { encodePng } from './png.ts';
import { LIGHT, type Theme } from './theme.ts';

use([
  BarChart,
  CanvasRenderer,
  GraphicComponent,
  GridComponent,
  LegendComponent,
  LineChart,
  ScatterChart,
  TitleComponent,
]);

/** Pixels of the PNG for each pixel of the figure: sharp on dense screens, and half as many as at twice its size. */
const SCALE = 1.5;

/** One for all figures: a canvas's memory is the system's, which collects it late. */
const canvas = createCanvas(1, 1);

const measuring = createCanvas(1, 1).getContext('2d');
setPlatformAPI({
  measureText: (text, font) => {
    if (font !== undefined) measuring.font = font;
    // Skia takes no NUL, and ECharts asks for the width of each of the first 128 characters.
    return measuring.measureText(text.replaceAll('\0', ''));
  },
});

function resize(width: number, height: number): void {
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
}

const paintImage: PaintImage = ({ pixels, width, height }) => {
  const image = createCanvas(width, height);
  image.getContext('2d').putImageData(new ImageData(pixels, width, height), 0, 0);
  // ECharts copies the objects that it is given, all but nodes of a document; of a copy nothing would be painted.
  return Object.assign(image, { nodeType: 1, ownerDocument: null });
};

/**
 * Draws a figure as PNG, one and a half times its size in pixels, on an opaque background so that it reads on light and
 * dark pages alike.
 */
export function drawPng(figure: Figure, theme: Theme = LIGHT): Uint8Array {
  const { width, height } = figure.layout;
  resize(Math.round(SCALE * width), Math.round(SCALE * height));
  const chart = init(canvas, null, { renderer: 'canvas', width, height, devicePixelRatio: SCALE });
  try {
    chart.setOption(figureOption(figure, { font: FONT_FAMILY, theme }, paintImage));
    return encodePng(canvas.data(), canvas.width, canvas.height);
  } finally {
    chart.dispose();
  }
}
