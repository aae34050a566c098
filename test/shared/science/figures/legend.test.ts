import { describe, expect, test } from 'vitest';
import {
  composeFigure,
  heatmapTrace,
  lineTrace,
  markerTrace,
  pointsTrace,
  unnamed,
} from '../../../../shared/science/figures/compose.ts';
import { drawPng } from '../../../../shared/science/figures/draw.ts';
import type { Figure } from '../../../../shared/science/figures/model.ts';
import { composePanels } from '../../../../shared/science/figures/panels.ts';
import { DARK, LIGHT } from '../../../../shared/science/figures/theme.ts';
import { decodePng } from '../../../support/png.ts';
import { drawSvg } from './svg.ts';

const text = { title: 'T', x: 'x', y: 'y' };
/** Half the height of its letters. */
const HALF_A_LINE = 7;

function count(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}

/** The positions of texts, in pixels of the figure from its top. */
function textsOf(figure: Figure): { y: number; said: string }[] {
  return [...drawSvg(figure).matchAll(/<text[^>]* y="([^"]*)"[^>]*>([^<]*)<\/text>/g)].map(
    ([, y = '', said = '']) => ({ y: Number.parseFloat(y), said }),
  );
}

/** The first row of the picture in which this colour covers a large fraction, in pixels of the figure. */
function topOf(png: Uint8Array, colour: readonly number[]): number {
  const { pixels, width, height } = decodePng(png);
  for (let y = 0; y < height; y += 1) {
    let alike = 0;
    for (let x = 0; x < width; x += 1) {
      const at = 4 * (y * width + x);
      if (colour.every((channel, index) => Math.abs((pixels[at + index] ?? 0) - channel) < 12)) alike += 1;
    }
    if (alike > width / 4) return y / 1.5;
  }
  return height;
}

function bars(name: string, x: readonly number[]): Figure['data'][number] {
  return { type: 'bar', name, x: [...x], y: x.map(() => 1), marker: { color: '#ff0000' }, opacity: 1 };
}

const names = count(12).map((index) => `a long name of trace ${index}`);
const RED = [255, 0, 0];
const YELLOW = [0xfd, 0xe7, 0x25];

describe('a legend of several rows', () => {
  const marks = names.map((name) => pointsTrace(name, [0.5], [0.5]));
  const flat = {
    ...heatmapTrace(
      'z',
      [0, 1],
      [0, 1],
      [
        [1, 1],
        [1, 1],
      ],
    ),
    zmin: 0,
    zmax: 1,
  };
  const wide = bars('bars', count(9));
  test.each([
    ['a pair of axes', composeFigure([wide, ...marks], text), RED],
    ['a heat map', composeFigure([flat, ...marks], text), YELLOW],
    [
      'panels',
      composePanels(
        [
          { data: [wide, ...marks], x: 'x', y: 'A' },
          { data: [wide], x: 'x', y: 'B' },
        ],
        {
          title: 'T',
          columns: 1,
          legend: true,
        },
      ),
      RED,
    ],
  ])('is above the data: %s', (_, figure, colour) => {
    const rows = textsOf(figure).filter(({ said }) => said.startsWith('a long name'));
    expect(rows).toHaveLength(names.length);
    const lowest = Math.max(...rows.map(({ y }) => y));
    expect(lowest).toBeGreaterThan(48 + 2 * 22);
    for (const theme of [LIGHT, DARK]) {
      expect(topOf(drawPng(figure, theme), colour)).toBeGreaterThan(lowest + HALF_A_LINE);
    }
  });

  test('leaves enough space for the plot if there are too many entries, and counts the omitted ones', () => {
    const lines = count(100).map((index) => lineTrace(`qubit ${index}`, [0, 1], [0, 1]));
    const said = textsOf(composeFigure(lines, text));
    const named = said.filter((each) => each.said.startsWith('qubit'));
    const more = said.find((each) => each.said === `and ${100 - named.length} more`);
    expect(named.length).toBeGreaterThan(20);
    expect(more?.y).toBeGreaterThan(Math.max(...named.map(({ y }) => y)));
    expect(more?.y).toBeLessThan(200);
  });

  test('shortens a name that is wider than the figure', () => {
    const figure = composeFigure(
      [lineTrace('x'.repeat(100_000), [0, 1], [0, 1]), ...marks.slice(0, 1)],
      text,
    );
    const cut = textsOf(figure).find(({ said }) => said.startsWith('xx'));
    expect(cut?.said).toMatch(/^x{20,100}\.\.\.$/);
  });
});

test('a legend shows a dashed line as dashed', () => {
  const pieces = (line: Figure['data'][number]) => {
    const named = { ...line, line: { ...line.line, color: '#ff0000' } };
    const figure = composeFigure([unnamed(pointsTrace('data', [0, 1], [0, 1])), named], text);
    const { pixels, width } = decodePng(drawPng(figure));
    const isRed = count(width).map((x) => {
      const at = 4 * (Math.round(1.5 * 48) * width + x);
      return (pixels[at] ?? 0) > 200 && (pixels[at + 1] ?? 0) < 100;
    });
    return isRed.filter((red, x) => red && !isRed[x - 1]).length;
  };
  expect(pieces(lineTrace('line', [0, 1], [0, 1]))).toBe(1);
  expect(pieces(markerTrace('mark', 0.5, 0, 1))).toBe(2);
});
