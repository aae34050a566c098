import { createCanvas } from '@napi-rs/canvas';
import { describe, expect, test } from 'vitest';
import { SEQUENTIAL } from '../../../../shared/science/figures/colour-scales.ts';
import {
  composeFigure,
  errorBarsTrace,
  heatmapTrace,
  histogramTrace,
  lineTrace,
  pointsTrace,
} from '../../../../shared/science/figures/compose.ts';
import { drawPng } from '../../../../shared/science/figures/draw.ts';
import { FONT_FAMILY } from '../../../../shared/science/figures/font.ts';
import { heatmapImage } from '../../../../shared/science/figures/heatmap-image.ts';
import type { Figure } from '../../../../shared/science/figures/model.ts';
import { paintFigure } from '../../../../shared/science/figures/paint-figure.ts';
import { DARK, LIGHT } from '../../../../shared/science/figures/theme.ts';
import { decodePng, isOpaque, type Picture } from '../../../support/png.ts';
import { drawSvg } from './svg.ts';

const text = { title: 'T', x: 'x', y: 'y' };
/** Bounds of the axes in figures of 600 by 400 without a legend, as fractions of their size. */
const frame = { left: 78 / 600, right: 576 / 600, top: 46 / 400, bottom: 342 / 400 };
type Colour = [number, number, number];

function colourAt({ pixels, width }: Picture, x: number, y: number): Colour {
  const at = 4 * (y * width + x);
  return [pixels[at] ?? 0, pixels[at + 1] ?? 0, pixels[at + 2] ?? 0];
}

function isSeries(colour: Colour): boolean {
  return Math.max(...colour) - Math.min(...colour) > 60;
}

function isGridLine([red, green, blue]: Colour): boolean {
  return red < 245 && red > 200 && red === green && green === blue;
}

/** Runs of pixels of one kind in a row of the picture, from 0 to 1 between the axes' ends. */
function runsAlong(picture: Picture, height: number, isMeant: (colour: Colour) => boolean) {
  const y = Math.round(height * picture.height);
  const runs: { from: number; to: number }[] = [];
  let isInRun = false;
  for (let x = 0; x < picture.width; x += 1) {
    const place = (x / picture.width - frame.left) / (frame.right - frame.left);
    // The axis itself is not one of them.
    const isPainted = place > 0.005 && isMeant(colourAt(picture, x, y));
    const last = runs.at(-1);
    if (isPainted && isInRun && last !== undefined) last.to = place;
    else if (isPainted) runs.push({ from: place, to: place });
    isInRun = isPainted;
  }
  return runs;
}

function share(picture: Picture, isMeant: (colour: Colour) => boolean): number {
  let count = 0;
  for (let y = 0; y < picture.height; y += 1) {
    for (let x = 0; x < picture.width; x += 1) if (isMeant(colourAt(picture, x, y))) count += 1;
  }
  return count / (picture.width * picture.height);
}

function draw(figure: Figure): Picture {
  return decodePng(drawPng(figure));
}

function withRanges(figure: Figure, x: [number, number], y: [number, number]): Figure {
  const { xaxis, yaxis } = figure.layout;
  return {
    ...figure,
    layout: { ...figure.layout, xaxis: { ...xaxis, range: x }, yaxis: { ...yaxis, range: y } },
  };
}

const count = (length: number) => Array.from({ length }, (_, index) => index);
const colouring = { min: 0, max: 1, scale: SEQUENTIAL };

describe('the image of a heat map', () => {
  const brightest = (values: readonly number[], bright: number, side: 'x' | 'y') => {
    const cells = { values, logarithmic: false, pixels: 615 };
    const one = { values: [0], logarithmic: false, pixels: 1 };
    const lit = values.map((_, index) => (index === bright ? 1 : 0));
    const { pixels } =
      side === 'x'
        ? heatmapImage(cells, one, [lit], colouring)
        : heatmapImage(
            one,
            cells,
            lit.map((value) => [value]),
            colouring,
          );
    return pixels.reduce((most, channel, at) => (at % 4 === 1 ? Math.max(most, channel) : most), 0);
  };

  test.each([
    ['650 even ones', count(650)],
    ['1,024 even ones', count(1024)],
    ['uneven ones', count(200).map((index) => 1.03 ** index)],
  ])('shows a single bright cell at any position: %s', (_, values) => {
    for (const side of ['x', 'y'] as const) {
      const lit = values.flatMap((_value, index) =>
        index % 7 === 3 ? [brightest(values, index, side)] : [],
      );
      // Forty of the uneven cells share the first pixel.
      expect(Math.min(...lit)).toBeGreaterThan(values.length === 200 ? 3 : 80);
    }
  });

  test('keeps cells sharp if they are wider than a pixel', () => {
    const cells = { values: count(400), logarithmic: false, pixels: 615 };
    const one = { values: [0], logarithmic: false, pixels: 1 };
    const { pixels } = heatmapImage(cells, one, [count(400).map((index) => index % 2)], colouring);
    const colours = new Set(count(615).map((at) => pixels[4 * at]));
    expect(colours).toEqual(new Set([0x44, 0xfd]));
  });

  test('shows the known one of two cells that share a pixel, and nothing if neither is known', () => {
    const cells = { values: count(8), logarithmic: false, pixels: 4 };
    const one = { values: [0], logarithmic: false, pixels: 1 };
    const row = [1, null, null, null, Number.NaN, 0, 0, 1];
    const { pixels } = heatmapImage(cells, one, [row], colouring);
    expect(count(4).map((at) => [...pixels.slice(4 * at, 4 * at + 4)])).toEqual([
      [0xfd, 0xe7, 0x25, 255],
      [0, 0, 0, 0],
      [0x44, 0x01, 0x54, 255],
      [35, 144, 140, 255],
    ]);
  });
});

describe('a painted figure', () => {
  test('shows a line that is narrower than a pixel of its map', () => {
    const lost = count(8).filter((bright) => {
      const z = [count(1024).map((column) => (column === 500 + bright ? 1 : 0))];
      const picture = draw(composeFigure([heatmapTrace('z', count(1024), [0], z)], text));
      return runsAlong(picture, 0.5, ([red, green]) => red < 120 && green > 80).length < 2;
    });
    expect(lost).toEqual([]);
  });

  test('has grid lines at the multiples of each power of ten', () => {
    const figure = composeFigure([pointsTrace('data', [1, 1000], [0, 1])], { ...text, xScale: 'log' });
    expect(runsAlong(draw(figure), 0.52, isGridLine)).toHaveLength(30);
  });

  test('shows its grid through cells without a value, and only there', () => {
    const [known, unknown] = [1, null].map((value) =>
      draw(
        composeFigure(
          [
            heatmapTrace(
              'z',
              [1, 2, 3],
              [1, 2],
              [
                [1, 2, 3],
                [value, value, value],
              ],
            ),
          ],
          text,
        ),
      ),
    );
    if (!known || !unknown) return expect.fail('no picture');
    expect(runsAlong(unknown, 0.3, isGridLine).length).toBeGreaterThan(3);
    expect(runsAlong(known, 0.3, isGridLine)).toEqual([]);
    expect(isOpaque(unknown)).toBe(true);
  });

  test('keeps a line and error bars with a point beyond the range of the canvas', () => {
    const x = [0, 1, 2, 3];
    for (const trace of [
      lineTrace('l', x, [0, 1e40, 0.5, 1.5]),
      lineTrace('l', x, [0, 1, -1e308, 1]),
      errorBarsTrace('e', x, [0, 1e40, 1, 2], [1, 1, 1, 1]),
      errorBarsTrace('e', x, [0, 1, 1, 2], [1, 1e300, 1, 1]),
    ]) {
      const figure = withRanges(composeFigure([trace], text), [0, 3], [0, 2]);
      expect(runsAlong(draw(figure), 0.7, isSeries).length, JSON.stringify(trace)).toBeGreaterThan(0);
    }
  });

  test('does not change the direction of a line that leaves the panel', () => {
    const line = lineTrace('l', [0, 1e35], [0, 5e34]);
    const [run] = runsAlong(draw(withRanges(composeFigure([line], text), [0, 2], [0, 2])), 0.7, isSeries);
    // The line is evaluated at 30 % of the height; the axis has 5 % of its length before 0.
    const height = (frame.bottom - 0.7) / (frame.bottom - frame.top);
    const y = 2.2 * height - 0.1;
    expect(((run?.from ?? 0) + (run?.to ?? 0)) / 2).toBeCloseTo((2 * y + 0.1) / 2.2, 1);
  });

  test('writes the scale of a map, the texts of its cells and the names of its marks, also in dark colours', () => {
    const cells = {
      ...heatmapTrace(
        'Phase (rad)',
        [1, 2],
        [1, 2],
        [
          [0, 4],
          [8, 2],
        ],
      ),
      text: [
        ['a', 'b'],
        ['c', 'd'],
      ],
    };
    const figure = composeFigure([cells, pointsTrace('found', [1], [2])], text);
    const svg = drawSvg(figure);
    for (const said of ['Phase (rad)', '0', '2', '4', '6', '8', 'a', 'b', 'c', 'd', 'found']) {
      expect(svg).toContain(`>${said}</text>`);
    }
    const [light, dark] = [LIGHT, DARK].map((theme) => decodePng(drawPng(figure, theme)));
    expect(light && colourAt(light, 0, 0)).toEqual([0xff, 0xff, 0xff]);
    expect(dark && colourAt(dark, 0, 0)).toEqual([0x14, 0x16, 0x1a]);
  });

  test('names many traces in rows', () => {
    const named = count(20).map((index) => lineTrace(`trace number ${index}`, [0, 1], [index, index]));
    const svg = drawSvg(composeFigure(named, text));
    const levels = [...svg.matchAll(/<text[^>]* y="([^"]*)"[^>]*>trace number \d+</g)].map(([, y]) => y);
    expect(levels).toHaveLength(20);
    expect(new Set(levels).size).toBeGreaterThan(3);
  });

  test('covers a canvas of any size', () => {
    const { data, layout } = composeFigure([pointsTrace('data', [1], [1])], text);
    for (const size of [51, 53.3, 601]) {
      const picture = draw({ data, layout: { ...layout, width: size, height: size } });
      expect(isOpaque(picture)).toBe(true);
    }
  });

  test('does not depend on a previous one that failed', () => {
    const figure = composeFigure([pointsTrace('data', [1, 2], [1, 2])], text);
    const [clean, left] = [createCanvas(600, 400), createCanvas(600, 400)];
    const context = left.getContext('2d');
    context.save();
    context.globalAlpha = 0.5;
    context.globalCompositeOperation = 'destination-over';
    context.rect(0, 0, 50, 50);
    context.clip();
    for (const canvas of [clean, left]) {
      paintFigure(canvas.getContext('2d'), figure, { scale: 1, font: FONT_FAMILY, theme: LIGHT });
    }
    expect(Buffer.compare(left.data(), clean.data())).toBe(0);
  });
});

describe('a painted figure with bars', () => {
  test('has all bars with one width on a logarithmic axis', () => {
    const figure = composeFigure([histogramTrace('b', [1, 10, 100, 1000], [2, 1, 2, 1])], {
      ...text,
      xScale: 'log',
    });
    const picture = draw(figure);
    const high = runsAlong(picture, 0.4, isSeries);
    expect(high).toHaveLength(2);
    for (const { from, to } of high) expect(to - from).toBeCloseTo(1 / 4.4, 2);
    const [all, ...more] = runsAlong(picture, 0.75, isSeries);
    expect(more).toEqual([]);
    expect((all?.to ?? 0) - (all?.from ?? 0)).toBeCloseTo(4 / 4.4, 2);
  });

  test('has no pale lines between bars, and no bars outside of the axes', () => {
    const bars = (heights: readonly number[]) =>
      draw(composeFigure([histogramTrace('b', count(37), heights)], text));
    const positive = bars(count(37).map(() => 5));
    expect(runsAlong(positive, 0.6, isSeries)).toHaveLength(1);
    expect(runsAlong(positive, frame.bottom + 0.01, isSeries)).toEqual([]);
    const outside = withRanges(
      composeFigure(
        [
          histogramTrace(
            'b',
            count(37),
            count(37).map(() => -5),
          ),
        ],
        text,
      ),
      [0, 36],
      [1, 2],
    );
    expect(share(draw(outside), isSeries)).toBe(0);
  });

  test('shows bars for negative values below zero', () => {
    const picture = draw(composeFigure([histogramTrace('b', [0, 1, 2], [3, -1, 3])], text));
    const [low, ...more] = runsAlong(picture, 0.8, isSeries);
    expect(more).toEqual([]);
    expect([low?.from, low?.to].map((place) => Math.round(10 * (place ?? 0)))).toEqual([3, 7]);
    expect(runsAlong(picture, 0.5, isSeries)).toHaveLength(2);
  });

  test('shows error bars that reach below zero on a logarithmic axis', () => {
    const { data, layout } = composeFigure([errorBarsTrace('e', [1, 2, 3], [1, 10, 100], [2, 2, 20])], text);
    const picture = draw({ data, layout: { ...layout, yaxis: { ...layout.yaxis, type: 'log' } } });
    expect(runsAlong(picture, 0.75, isSeries)).toHaveLength(1);
  });
});
