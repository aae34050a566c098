import {
  composeFigure,
  curveTrace,
  errorBarsTrace,
  type FigureText,
  lineTrace,
  pointsTrace,
  roleMeta,
} from './compose.ts';
import type { Figure } from './model.ts';
import { PALETTE } from './theme.ts';

type Trace = Figure['data'][number];
type Axis = Figure['layout']['xaxis'];

/** Measured points with the curve that was fitted to them. */
export interface FittedSeries {
  name: string;
  x: readonly number[];
  y: readonly number[];
  /** Standard deviation of each point, if it is known. */
  sigma?: readonly number[] | undefined;
  /** Null if there is no fit. */
  curve: { name: string; at(x: number): number } | null;
}

const WIDTH = 600;
const HEIGHT = 500;
/** Fractions of the figure's height. */
const RESIDUALS_TOP = 0.2;
const DATA_BOTTOM = 0.3;
const RESIDUAL_SIZE = 5;
const ZERO_LINE = '#888888';

/** Two colours for each series: one for its points, one for its curve. */
function coloursOf(seriesIndex: number): { points: string; curve: string } {
  const colour = (index: number) => PALETTE[index % PALETTE.length] ?? '';
  return { points: colour(2 * seriesIndex), curve: colour(2 * seriesIndex + 1) };
}

/** The unit in parentheses at the end of a title, with a space before it; empty if there is none. */
function unitOf(title: string): string {
  return / \([^()]+\)$/.exec(title)?.[0] ?? '';
}

/**
 * Points with error bars and their fits, and the residuals below, in standard deviations if these are known for all
 * series. Without any fit, only the points.
 *
 * @param marks further traces, drawn over the data
 */
export function composeFit(
  series: readonly FittedSeries[],
  text: FigureText,
  marks: readonly Trace[] = [],
): Figure {
  const data = series.flatMap((each, index) => dataTraces(each, index, text.xScale));
  if (series.every(({ curve }) => curve === null)) return composeFigure([...data, ...marks], text);
  const inDeviations = series.every(({ sigma }) => sigma !== undefined);
  const x = series.flatMap((each) => each.x).filter((value) => text.xScale !== 'log' || value > 0);
  const residuals = series.flatMap((each, index) => residualTraces(each, index, inDeviations));
  const below = [zeroLine(x), ...residuals].map(
    (trace): Trace => ({ ...trace, xaxis: 'x2', yaxis: 'y2', showlegend: false }),
  );
  const type = text.xScale === 'log' ? { type: 'log' as const } : {};
  return {
    data: [...data, ...marks, ...below],
    layout: {
      title: { text: text.title },
      xaxis: { title: { text: '' }, ...type, domain: [0, 1], anchor: 'y', showticklabels: false },
      yaxis: { title: { text: text.y }, domain: [DATA_BOTTOM, 1], anchor: 'x' },
      xaxis2: { title: { text: text.x }, ...type, domain: [0, 1], anchor: 'y2', matches: 'x' },
      yaxis2: {
        title: { text: `Residual${inDeviations ? ' (σ)' : unitOf(text.y)}` },
        domain: [0, RESIDUALS_TOP],
        anchor: 'x2',
      },
      showlegend: true,
      width: WIDTH,
      height: HEIGHT,
      ...roleMeta(text.role),
    },
  };
}

/** One of the two plots of {@link composeFitPair}. */
export interface FitPanel {
  series: readonly FittedSeries[];
  /** Title of the y axis, with its unit in brackets. */
  y: string;
}

const PAIR_WIDTH = 900;
const COLUMNS = [
  [0, 0.44],
  [0.56, 1],
] as const;

/** Two plots side by side, each with points, fits and residuals as in {@link composeFit}. */
export function composeFitPair(
  [left, right]: readonly [FitPanel, FitPanel],
  { title, x }: { title: string; x: string },
): Figure {
  const [first, second] = [fitColumn(left, x, 0), fitColumn(right, x, 1)];
  return {
    data: [
      ...first.data,
      // Both plots have the same traces, so the legend lists only those of the first.
      ...second.data.map((trace): Trace => ({ ...trace, showlegend: false })),
    ],
    layout: {
      title: { text: title },
      xaxis: first.upper.x,
      yaxis: first.upper.y,
      xaxis2: first.lower.x,
      yaxis2: first.lower.y,
      xaxis3: second.upper.x,
      yaxis3: second.upper.y,
      xaxis4: second.lower.x,
      yaxis4: second.lower.y,
      showlegend: true,
      width: PAIR_WIDTH,
      height: HEIGHT,
    },
  };
}

/** Traces and axes of one of the two columns. */
function fitColumn(
  { series, y }: FitPanel,
  x: string,
  column: 0 | 1,
): { data: Trace[] } & Record<'upper' | 'lower', { x: Axis; y: Axis }> {
  const [above, below] = column === 0 ? (['', '2'] as const) : (['3', '4'] as const);
  const domain = [...COLUMNS[column]];
  const inDeviations = series.every(({ sigma }) => sigma !== undefined);
  const data = series.flatMap((each, index) =>
    dataTraces(each, index).map((trace) => ({ ...trace, xaxis: `x${above}`, yaxis: `y${above}` })),
  );
  const residuals = series.flatMap((each, index) => residualTraces(each, index, inDeviations));
  const zero = residuals.length === 0 ? [] : [zeroLine(series.flatMap((each) => each.x))];
  const lowerTraces = [...zero, ...residuals].map(
    (trace): Trace => ({ ...trace, xaxis: `x${below}`, yaxis: `y${below}`, showlegend: false }),
  );
  const unit = inDeviations ? ' (σ)' : unitOf(y);
  return {
    data: [...data, ...lowerTraces],
    upper: {
      x: { title: { text: '' }, domain, anchor: `y${above}`, showticklabels: false },
      y: { title: { text: y }, domain: [DATA_BOTTOM, 1], anchor: `x${above}` },
    },
    lower: {
      x: { title: { text: x }, domain, anchor: `y${below}`, matches: `x${above}` },
      y: { title: { text: `Residual${unit}` }, domain: [0, RESIDUALS_TOP], anchor: `x${below}` },
    },
  };
}

/** The line on which the residuals of a perfect fit would lie. */
function zeroLine(x: readonly number[]): Trace {
  return {
    ...lineTrace('no residual', [Math.min(...x), Math.max(...x)], [0, 0]),
    line: { color: ZERO_LINE },
  };
}

function dataTraces(
  { name, x, y, sigma, curve }: FittedSeries,
  seriesIndex: number,
  scale?: FigureText['xScale'],
): Trace[] {
  const colours = coloursOf(seriesIndex);
  const points = sigma === undefined ? pointsTrace(name, x, y) : errorBarsTrace(name, x, y, sigma);
  const shown = { ...points, marker: { color: colours.points } };
  if (curve === null) return [shown];
  return [shown, { ...curveTrace(curve.name, x, curve.at, scale), line: { color: colours.curve } }];
}

function residualTraces(
  { name, x, y, sigma, curve }: FittedSeries,
  seriesIndex: number,
  inDeviations: boolean,
): Trace[] {
  if (curve === null) return [];
  const residuals = x.map((at, index) => {
    const unit = inDeviations ? (sigma?.[index] ?? 1) : 1;
    return ((y[index] ?? 0) - curve.at(at)) / unit;
  });
  const marker = { color: coloursOf(seriesIndex).points, size: RESIDUAL_SIZE };
  return [{ ...pointsTrace(name, x, residuals), marker }];
}
