import { describe, expect, test } from 'vitest';
import {
  composeFigure,
  heatmapTrace,
  lineTrace,
  pointsTrace,
} from '../../../../shared/science/figures/compose.ts';
import { drawPng } from '../../../../shared/science/figures/draw.ts';
import { composeFit, composeFitPair } from '../../../../shared/science/figures/fit-figure.ts';
import { type Figure, figure as figureSchema } from '../../../../shared/science/figures/model.ts';
import { DARK, LIGHT } from '../../../../shared/science/figures/theme.ts';
import { decodePng } from '../../../support/png.ts';

const text = { title: 'T', x: 'x', y: 'y' };
const points = pointsTrace('data', [0, 1, 2], [0, 1, 2]);
const line = lineTrace('fit', [0, 1, 2], [2, 1, 0]);
const map = heatmapTrace(
  'z',
  [0, 1],
  [0, 1],
  [
    [1, 2],
    [3, 4],
  ],
);
const usual = composeFigure([points, line], text);
const usualMap = composeFigure([map], text);

function withSize(figure: Figure, width: number, height: number): Figure {
  return { ...figure, layout: { ...figure.layout, width, height } };
}

describe('a figure of a backend', () => {
  test.each(['nonsense', '', '#zz', 'rgb(1,2', 'url(x)'])(
    'has the usual colours instead of %j, which is not a colour',
    (color) => {
      const named = composeFigure(
        [
          { ...points, marker: { color } },
          { ...line, line: { color } },
        ],
        text,
      );
      const scaled = composeFigure(
        [
          {
            ...map,
            colorscale: [
              [0, color],
              [1, '#ffffff'],
            ],
          },
        ],
        text,
      );
      for (const theme of [LIGHT, DARK]) {
        expect(Buffer.compare(drawPng(named, theme), drawPng(usual, theme))).toBe(0);
        expect(Buffer.compare(drawPng(scaled, theme), drawPng(usualMap, theme))).toBe(0);
      }
    },
  );

  test.each([
    ['none', []],
    ['one', [[0, '#000000']]],
    [
      'places beyond 0 and 1',
      [
        [-3, '#000000'],
        [7, '#ffffff'],
      ],
    ],
    [
      'places that descend',
      [
        [1, '#000000'],
        [0, '#ffffff'],
      ],
    ],
  ] satisfies [string, [number, string][]][])('has the usual scale if its own has %s', (_, colorscale) => {
    const scaled = composeFigure([{ ...map, colorscale }], text);
    expect(Buffer.compare(drawPng(scaled), drawPng(usualMap))).toBe(0);
  });

  test('has its own colours in any CSS notation', () => {
    const scaled = (from: string, to: string) =>
      drawPng(
        composeFigure(
          [
            {
              ...map,
              colorscale: [
                [0, from],
                [1, to],
              ],
            },
          ],
          text,
        ),
      );
    expect(Buffer.compare(scaled('red', 'rgb(0, 0, 255)'), scaled('#ff0000', '#0000ff'))).toBe(0);
    expect(Buffer.compare(scaled('red', 'blue'), drawPng(usualMap))).not.toBe(0);
  });

  test.each<[string, Figure]>([
    ['odd dimensions', withSize(usual, 601.37, 333.333)],
    ['odd dimensions of a map', withSize(usualMap, 601.37, 333.333)],
    ['hardly any room', withSize(usual, 50, 50)],
    ['hardly any room for a map', withSize(usualMap, 50, 50)],
    ['a map with rows of several lengths', composeFigure([{ ...map, z: [[1], [], [1, 2, 3]] }], text)],
    ['a map whose scale ends before it begins', composeFigure([{ ...map, zmin: 5, zmax: -5 }], text)],
    [
      'the smallest and the largest number on a logarithmic axis',
      composeFigure([{ ...points, x: [5e-324, 1, 1.7e308] }], { ...text, xScale: 'log' }),
    ],
    [
      'a map over the smallest and the largest number on a logarithmic axis',
      composeFigure([{ ...map, x: [1e-320, 1e308] }], { ...text, xScale: 'log' }),
    ],
    [
      'points of impossible size',
      composeFigure([{ ...points, marker: { color: 'red', size: -5 }, opacity: -4 }, line], text),
    ],
    ['half a letter', { ...usual, layout: { ...usual.layout, title: { text: '\ud800 x' } } }],
  ])('is drawn with %s', (_, figure) => {
    expect(figureSchema.safeParse(figure).success).toBe(true);
    const { width, height } = decodePng(drawPng(figure));
    expect([width, height]).toEqual([
      Math.round(1.5 * figure.layout.width),
      Math.round(1.5 * figure.layout.height),
    ]);
  });

  test('shows one point for each pixel if there are more points than pixels', () => {
    const x = Array.from({ length: 30_000 }, (_, index) => index % 300);
    const many = pointsTrace(
      'data',
      x,
      x.map((value, index) => (value + Math.floor(index / 300)) % 7),
    );
    const { pixels, width, height } = decodePng(drawPng(composeFigure([many], text)));
    let blue = 0;
    for (let at = 0; at < pixels.length; at += 4) {
      if ((pixels[at + 2] ?? 0) - (pixels[at] ?? 0) > 80) blue += 1;
    }
    expect(blue / (width * height)).toBeGreaterThan(0.005);
    expect(blue / (width * height)).toBeLessThan(0.1);
  });
});

test('residuals without known errors have the unit of the data', () => {
  const series = { name: 'data', x: [0, 1, 2], y: [0, 1, 2], curve: { name: 'fit', at: (x: number) => x } };
  const { layout } = composeFit([series], { ...text, y: 'Phase (rad)' });
  expect(layout.yaxis2?.title.text).toBe('Residual (rad)');
  expect(composeFit([series], text).layout.yaxis2?.title.text).toBe('Residual');
  const panel = { series: [series], y: 'Phase (rad)' };
  const pair = composeFitPair([panel, { ...panel, y: 'y' }], text);
  expect(pair.layout.yaxis2?.title.text).toBe('Residual (rad)');
  expect(pair.layout.yaxis4?.title.text).toBe('Residual');
});
