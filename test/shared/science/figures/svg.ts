import { BarChart, LineChart, ScatterChart } from 'echarts/charts';
import {
  GraphicComponent,
  GridComponent,
  LegendComponent,
  TitleComponent,
  VisualMapComponent,
} from 'echarts/components';
import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import { chartOption } from '../../../../shared/science/figures/chart-option.ts';
import type { Figure } from '../../../../shared/science/figures/model.ts';

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

/** A figure as SVG, in which its texts can be read. */
export function drawSvg(figure: Figure): string {
  const { width, height } = figure.layout;
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
  chart.setOption(chartOption(figure, 'sans-serif', () => ''));
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
}
