import { describe, expect, test } from 'vitest';
import {
  composeFigure,
  heatmapTrace,
  lineTrace,
  pointsTrace,
  unnamed,
} from '../../../../shared/science/figures/compose.ts';
import { drawPng } from '../../../../shared/science/figures/draw.ts';
import { type Figure, figure as figureSchema } from '../../../../shared/science/figures/model.ts';
import { composePanels } from '../../../../shared/science/figures/panels.ts';
import { placePanels } from '../../../../shared/science/figures/place-panels.ts';
import { analyse } from '../../../../shared/tasks/analyses.ts';
import { measure } from '../../../support/measured.ts';
import { darkShare, decodePng, isOpaque } from '../../../support/png.ts';
import { drawSvg } from './svg.ts';

const titleArea = { left: 0.1, top: 0, right: 0.9, bottom: 0.065 };
const noise = { rules: [{ match: {}, behaviour: 'noise' as const }] };

const columns = Array.from({ length: 31 }, (_, index) => 7.9 + index * 0.005);
const rows = Array.from({ length: 13 }, (_, index) => index * 8);
const heatmap = composeFigure(
  [
    heatmapTrace(
      'Population',
      columns,
      rows,
      rows.map((y) => columns.map((x) => (y === 8 ? null : Math.sin(x * y)))),
    ),
  ],
  { title: 'Chevron', x: 'Frequency (GHz)', y: 'Pulse length (ns)' },
);

async function figuresOf(task: string, faults?: typeof noise): Promise<Figure[]> {
  return analyse(await measure(task, 'draw', { faults })).figures;
}

describe('a drawn figure', () => {
  test('is a PNG of one and a half times its size, opaque, with a title in dark letters on white', async () => {
    const figures = [
      ...(await figuresOf('CheckRabi')),
      ...(await figuresOf('CheckT1')),
      ...(await figuresOf('CheckRabi', noise)),
      heatmap,
    ];
    for (const figure of figures) {
      const picture = decodePng(drawPng(figure));
      expect([picture.width, picture.height]).toEqual([
        1.5 * figure.layout.width,
        1.5 * figure.layout.height,
      ]);
      expect(isOpaque(picture)).toBe(true);
      expect([...picture.pixels.slice(0, 3)]).toEqual([255, 255, 255]);
      expect(darkShare(picture, titleArea)).toBeGreaterThan(0.005);
    }
  });

  test('has text from the packaged font: without text the title and the axis are blank', async () => {
    const [figure] = await figuresOf('CheckT1');
    if (!figure) return expect.fail('no figure');
    const { layout } = figure;
    const blank: Figure = {
      data: figure.data,
      layout: {
        ...layout,
        title: { text: '' },
        ...(layout.xaxis2 && { xaxis2: { ...layout.xaxis2, title: { text: '' } } }),
      },
    };
    const axisTitle = { left: 0.3, top: 0.96, right: 0.8, bottom: 1 };
    for (const area of [titleArea, axisTitle]) {
      expect(darkShare(decodePng(drawPng(figure)), area)).toBeGreaterThan(0.002);
      expect(darkShare(decodePng(drawPng(blank)), area)).toBe(0);
    }
  });

  test('shows title, axis titles with units, legend and round ticks', async () => {
    const [figure] = await figuresOf('CheckT1');
    if (!figure) return expect.fail('no figure');
    const svg = drawSvg(figure);
    const texts = [...svg.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text);
    expect(texts).toContain(figure.layout.title.text);
    for (const text of [
      'Waiting time (µs)',
      'Excited-state population',
      'data',
      '0.1',
      '1',
      '10',
      '100',
      '0.6',
    ]) {
      expect(texts).toContain(text);
    }
    expect(texts.every((text) => (text ?? '').length < 60)).toBe(true);
  });

  test('paints every cell of a heat map in the colours of its scale, and leaves cells without a value blank', () => {
    const { width, height, pixels } = decodePng(drawPng(heatmap));
    const colourAt = (x: number, y: number) => {
      const at = 4 * (Math.round(y * height) * width + Math.round(x * width));
      return [...pixels.slice(at, at + 3)];
    };
    const isGrey = ([red = 0, green = 0, blue = 0]: number[]) =>
      Math.max(red, green, blue) - Math.min(red, green, blue) < 8;
    const across = Array.from({ length: 20 }, (_, index) => 0.15 + 0.033 * index);
    expect(across.map((x) => isGrey(colourAt(x, 0.5)))).toEqual(across.map(() => false));
    // The second row from the bottom has no values.
    expect(across.map((x) => isGrey(colourAt(x, 0.775)))).toEqual(across.map(() => true));
  });

  test('keeps the aspect of an IQ plane: a circle has the same number of pixels in both directions', () => {
    const angles = Array.from({ length: 60 }, (_, index) => (index * Math.PI) / 30);
    const circle = composeFigure([pointsTrace('data', angles.map(Math.cos), angles.map(Math.sin))], {
      title: 'Circle',
      x: 'I (a.u.)',
      y: 'Q (a.u.)',
      equalAspect: true,
    });
    const { width, height, pixels } = decodePng(drawPng(circle));
    let [left, right, top, bottom] = [width, 0, height, 0];
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const at = 4 * (y * width + x);
        const blue = (pixels[at + 2] ?? 0) - (pixels[at] ?? 0);
        if (blue < 80) continue;
        [left, right, top, bottom] = [
          Math.min(left, x),
          Math.max(right, x),
          Math.min(top, y),
          Math.max(bottom, y),
        ];
      }
    }
    expect(Math.abs(right - left - (bottom - top))).toBeLessThan(6);
  });

  test.each([
    ['no traces', composeFigure([], { title: 'a', x: 'x', y: 'y' })],
    [
      'no points',
      composeFigure([pointsTrace('data', [], [])], { title: 'a', x: 'x', y: 'y', xScale: 'log' }),
    ],
    ['one point', composeFigure([pointsTrace('data', [3], [3])], { title: 'a', x: 'x', y: 'y' })],
    [
      'equal points',
      composeFigure([pointsTrace('data', [0, 0], [0, 0])], { title: 'a', x: 'x', y: 'y', equalAspect: true }),
    ],
    [
      'zero on a log axis',
      composeFigure([pointsTrace('data', [0, 1, 10], [1, 2, 3])], {
        title: 'a',
        x: 'x',
        y: 'y',
        xScale: 'log',
      }),
    ],
    ['an empty heat map', composeFigure([heatmapTrace('z', [], [], [])], { title: 'a', x: 'x', y: 'y' })],
    ['a flat heat map', composeFigure([heatmapTrace('z', [1], [1], [[5]])], { title: 'a', x: 'x', y: 'y' })],
    [
      'huge numbers',
      composeFigure([pointsTrace('data', [1e12, 2e12], [-1e-9, 1e-9])], { title: 'a', x: 'x', y: 'y' }),
    ],
    ['text that is markup', composeFigure([], { title: '<script>&"', x: '<b>', y: '&' })],
    ['a very long title', composeFigure([], { title: 'long '.repeat(100), x: 'x', y: 'y' })],
  ])('can be made of %s', (_, figure) => {
    const picture = decodePng(drawPng(figure));
    expect([picture.width, picture.height]).toEqual([900, 600]);
  });

  test('is refused when its text cannot be drawn', () => {
    expect(figureSchema.safeParse(heatmap).success).toBe(true);
    const layout = { ...heatmap.layout, title: { text: 'a\0b' } };
    expect(figureSchema.safeParse({ ...heatmap, layout }).success).toBe(false);
  });
});

describe('a drawn figure of several panels', () => {
  test('shows a trace in the legend with the colour that it has in its panel', () => {
    const line = (name: string) => lineTrace(name, [0, 1], [0, 1]);
    const figure = composePanels(
      [
        { data: [unnamed(line('zero')), line('first')], x: 'x', y: 'A' },
        { data: [unnamed(line('zero')), unnamed(line('one')), line('second')], x: 'x', y: 'B' },
      ],
      { title: 'Panels', columns: 1, legend: true },
    );
    expect(placePanels(figure).legend).toMatchObject([
      { trace: { name: 'first' }, index: 1 },
      { trace: { name: 'second' }, index: 2 },
    ]);
  });

  test('keeps panels above each other aligned if one has wider labels', () => {
    const figure = composePanels(
      [
        { data: [pointsTrace('data', [0, 10], [0, 1])], x: 'x', y: 'A' },
        { data: [pointsTrace('data', [0, 10], [0.000112, 0.000138])], x: 'x', y: 'B' },
      ],
      { title: 'Panels', columns: 1, legend: true },
    );
    const svg = drawSvg(figure);
    const texts = [...svg.matchAll(/<text[^>]* x="([^"]*)"[^>]*>([^<]*)<\/text>/g)];
    const leftOf = (isMeant: (text: string) => boolean) =>
      texts.flatMap(([, left = '', text = '']) => (isMeant(text) ? [Number.parseFloat(left)] : []));
    const [above, below] = leftOf((text) => text === '10');
    expect(above).toBe(below);
    const wide = leftOf((text) => text.startsWith('0.0001'));
    expect(wide.length).toBeGreaterThan(1);
    // The title of the axis ends 20 pixels from the left.
    for (const left of wide) expect(left).toBeGreaterThan(20);
  });
});
