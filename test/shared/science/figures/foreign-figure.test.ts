import { describe, expect, test } from 'vitest';
import { drawPng } from '../../../../shared/science/figures/draw.ts';
import { readForeignFigure } from '../../../../shared/science/figures/foreign-figure.ts';

function typed(values: Float64Array | Int16Array, dtype: string) {
  return { dtype, bdata: Buffer.from(values.buffer).toString('base64') };
}

const x = [0, 1, 2, 3];
const layout = { title: { text: 'T1' }, template: { layout: { colorway: ['#000'] } }, hovermode: 'x' };

describe('a figure of a backend', () => {
  test('with typed arrays of Plotly 6 is decoded for its picture and stored unchanged', () => {
    const figure = {
      data: [
        {
          type: 'scattergl',
          x: typed(new Int16Array(x), 'i2'),
          y: typed(new Float64Array([4, 3, 2, 1.5]), 'f8'),
        },
      ],
      layout,
    };
    const { json, drawable, note } = readForeignFigure(figure);
    expect(JSON.parse(json)).toEqual(figure);
    expect(drawable.data[0]).toMatchObject({ name: 'trace 0', x, y: [4, 3, 2, 1.5] });
    expect(note).toBeNull();
  });

  test('with a typed matrix is a heat map', () => {
    const z = { ...typed(new Float64Array([1, 2, 3, 4, 5, 6]), 'f8'), shape: '2, 3' };
    expect(readForeignFigure({ data: [{ type: 'heatmap', z }] }).drawable.data[0]).toMatchObject({
      z: [
        [1, 2, 3],
        [4, 5, 6],
      ],
    });
  });

  test('is drawn as far as it is supported, and the note states what is missing', () => {
    const { drawable, note } = readForeignFigure({
      data: [{ y: [1, null, 3] }, { type: 'scatter3d', x, y: x, z: x }],
    });
    expect(drawable.data).toHaveLength(1);
    expect(drawable.data[0]).toMatchObject({ x: [0, 2], y: [1, 3] });
    expect(note).toBe('is stored as it is; its picture lacks 1 of 2 traces');
  });

  test('may be the text of its JSON', () => {
    const figure = { data: [{ x, y: x }], layout: {} };
    expect(JSON.parse(readForeignFigure(JSON.stringify(figure)).json)).toEqual(figure);
  });

  test.each<[unknown]>([
    [{ data: [{ type: 'sankey', node: {} }], layout }],
    [{}],
    [{ data: [{ type: 'scatter', x: { dtype: 'f8', bdata: '###' }, y: 'none' }], layout: { width: 1e9 } }],
    [{ data: [{ type: 'heatmap', z: { dtype: 'f8', bdata: 'AAAA', shape: '1e9,1e9' } }] }],
    ['garbage'],
    [null],
    [[1, 2]],
    [{ data: 'none' }],
    [{ data: [null] }],
  ])('that cannot be drawn, %j, has a placeholder and a note', (given) => {
    const { drawable, json, note } = readForeignFigure(given);
    expect(drawPng(drawable).length).toBeGreaterThan(100);
    expect(JSON.parse(json)).toBeTypeOf('object');
    expect(note).toMatch(/placeholder/);
  });
});
