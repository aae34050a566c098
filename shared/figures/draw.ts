import { createRequire } from 'node:module';
import { Resvg } from '@resvg/resvg-js';
import { BarChart, LineChart, ScatterChart } from 'echarts/charts';
import {
  GraphicComponent,
  GridComponent,
  LegendComponent,
  TitleComponent,
  VisualMapComponent,
} from 'echarts/components';
import { init, setPlatformAPI, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import { chartOption } from './chart-option.ts';
import type { Figure } from './model.ts';
import { panelsOption } from './panels-option.ts';

use([
  BarChart,
  GraphicComponent,
  GridComponent,
  LegendComponent,
  LineChart,
  ScatterChart,
  SVGRenderer,
  TitleComponent,
  VisualMapComponent,
]);

/** Pixels of the PNG for each pixel of the figure: sharp on dense screens, and a third cheaper to draw than twice its size. */
const SCALE = 1.5;

// The font ships as a package, so that text shows on a machine without any.
const packages = createRequire(import.meta.url);
const fontFiles = ['DejaVuSans.ttf', 'DejaVuSans-Bold.ttf'].map((name) =>
  packages.resolve(`dejavu-fonts-ttf/ttf/${name}`),
);
const FONT_FAMILY = 'DejaVu Sans';

/** How much wider the bold letters are. */
const BOLD = 1.12;

/** Advance of a character of DejaVu Sans as a part of its size, near enough to place a legend. */
function advance(character: string): number {
  if (/[iIjl.,:;'|! ()[\]·]/.test(character)) return 0.34;
  if (/[mwMW]/.test(character)) return 0.9;
  return /[A-Z0-9±=]/.test(character) ? 0.68 : 0.6;
}

// Without a canvas ECharts knows no text widths.
setPlatformAPI({
  measureText: (text, font) => {
    const size =
      Number(/(\d+(?:\.\d+)?)px/.exec(font ?? '')?.[1] ?? 12) * (/bold/.test(font ?? '') ? BOLD : 1);
    return { width: [...text].reduce((sum, character) => sum + advance(character), 0) * size };
  },
});

/** Draws a figure as SVG text, in the figure's own size. */
export function drawSvg(figure: Figure): string {
  const { width, height } = figure.layout;
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
  try {
    const option = figure.layout.xaxis2 === undefined ? chartOption : panelsOption;
    chart.setOption(option(figure, FONT_FAMILY));
    return chart.renderToSVGString();
  } finally {
    chart.dispose();
  }
}

/**
 * Draws a figure as PNG, one and a half times its size in pixels, on opaque white so that it reads on light and dark pages alike.
 */
export function drawPng(figure: Figure): Uint8Array {
  const image = new Resvg(drawSvg(figure), {
    background: '#ffffff',
    fitTo: { mode: 'zoom', value: SCALE },
    font: { fontFiles, loadSystemFonts: false, defaultFontFamily: FONT_FAMILY },
  });
  return image.render().asPng();
}
