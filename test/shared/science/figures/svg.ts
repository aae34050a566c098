import { BarChart, LineChart, ScatterChart } from 'echarts/charts';
import { GraphicComponent, GridComponent, LegendComponent, TitleComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import { figureOption } from '../../../../shared/science/figures/figure-option.ts';
import type { Figure } from '../../../../shared/science/figures/model.ts';
import { LIGHT } from '../../../../shared/science/figures/theme.ts';

use([
  BarChart,
  GraphicComponent,
  GridComponent,
  LegendComponent,
  LineChart,
  ScatterChart,
  SVGRenderer,
  TitleComponent,
]);

/** A figure as SVG, in which its texts can be read. */
export function drawSvg(figure: Figure): string {
  const { width, height } = figure.layout;
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
  chart.setOption(figureOption(figure, { font: 'sans-serif', theme: LIGHT }, () => ''));
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
}
