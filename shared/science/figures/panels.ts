import { type FigureText, roleMeta } from './compose.ts';
import type { Figure } from './model.ts';

type Trace = Figure['data'][number];
type Axis = Figure['layout']['xaxis'];

/** One of several plots in a figure. */
export interface Panel {
  data: readonly Trace[];
  /** Axis titles, with their units in brackets. */
  x: string;
  y: string;
  xScale?: FigureText['xScale'];
}

/** Numbers of the axes of the second and further panels in the layout. */
const FURTHER = [2, 3, 4] as const;
/** Fraction of the figure that stays free between panels for their axes. */
const GAP = { x: 0.14, y: 0.2 };
const HEIGHT_OF_ROW = { one: 400, more: 260 };
const WIDTH = 600;
const PAIR_WIDTH = 800;

/** The interval, as fractions of a side, that item `index` takes if the side is divided by these weights. */
function share(index: number, weights: readonly number[], gap: number): [number, number] {
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  const size = (weight: number) => ((1 - gap * (weights.length - 1)) * weight) / whole;
  const start = weights.slice(0, index).reduce((sum, weight) => sum + size(weight) + gap, 0);
  return [round(start), round(start + size(weights[index] ?? 0))];
}

function round(value: number): number {
  return Number(value.toFixed(4));
}

/**
 * A Plotly figure of two to four panels: side by side in `columns`, filled row by row from the top.
 */
export function composePanels(
  panels: readonly Panel[],
  {
    title,
    columns,
    role,
    legend = false,
  }: {
    title: string;
    columns: 1 | 2;
    role?: 'raw' | 'marked';
    /** All panels have the same traces, so they share a legend. */
    legend?: boolean;
  },
): Figure {
  const rows = Math.ceil(panels.length / columns);
  const gapY = rows > 2 ? GAP.y * 0.7 : GAP.y;
  const axes = panels.map(({ x, y, xScale }, index): { x: Axis; y: Axis } => {
    const [row, column] = [Math.floor(index / columns), index % columns];
    const suffix = index === 0 ? '' : String(index + 1);
    return {
      x: {
        title: { text: x },
        ...(xScale === 'log' ? { type: 'log' } : {}),
        domain: share(column, new Array<number>(columns).fill(1), GAP.x),
        anchor: `y${suffix}`,
      },
      y: {
        title: { text: y },
        domain: share(rows - 1 - row, new Array<number>(rows).fill(1), gapY),
        anchor: `x${suffix}`,
      },
    };
  });
  const empty: Axis = { title: { text: '' } };
  const bars = panels.some(({ data }) => data.some(({ type }) => type === 'bar'));
  const layout: Figure['layout'] = {
    title: { text: title },
    xaxis: axes[0]?.x ?? empty,
    yaxis: axes[0]?.y ?? empty,
    width: columns === 1 ? WIDTH : PAIR_WIDTH,
    height: rows === 1 ? HEIGHT_OF_ROW.one : rows * HEIGHT_OF_ROW.more,
    ...(bars ? { barmode: 'overlay', bargap: 0 } : {}),
    ...(legend ? { showlegend: true } : {}),
    ...roleMeta(role),
  };
  for (const place of FURTHER) {
    const axis = axes[place - 1];
    if (axis === undefined) continue;
    layout[`xaxis${place}`] = axis.x;
    layout[`yaxis${place}`] = axis.y;
  }
  const data = panels.flatMap(({ data: traces }, index) =>
    traces.map((trace) =>
      index === 0 ? trace : { ...trace, xaxis: `x${index + 1}`, yaxis: `y${index + 1}` },
    ),
  );
  return { data, layout };
}
