import type { EChartsCoreOption } from 'echarts/core';
import { cartesianOption, type Style } from './chart-option.ts';
import { heatmapOption, type PaintImage } from './heatmap-option.ts';
import type { Figure } from './model.ts';
import { panelsOption } from './panels-option.ts';

/** What ECharts has to draw for a Plotly figure of the subset that our analyses use. */
export function figureOption(figure: Figure, style: Style, paint: PaintImage): EChartsCoreOption {
  if (figure.layout.xaxis2 !== undefined) return panelsOption(figure, style);
  const heatmap = figure.data.find(({ type }) => type === 'heatmap');
  return heatmap === undefined
    ? cartesianOption(figure, style)
    : heatmapOption(figure, heatmap, style, paint);
}
