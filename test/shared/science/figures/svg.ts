import { createCanvas, SvgExportFlag } from '@napi-rs/canvas';
import { FONT_FAMILY } from '../../../../shared/science/figures/font.ts';
import type { Figure } from '../../../../shared/science/figures/model.ts';
import { paintFigure } from '../../../../shared/science/figures/paint-figure.ts';
import { LIGHT } from '../../../../shared/science/figures/theme.ts';

/** The canvas writes a rotated text word by word, with an empty text for each space. */
const SPACE = /<\/text><text[^>]* x="" y=""><\/text><text[^>]*>/g;

/** A figure as SVG, whose texts can be read. */
export function drawSvg(figure: Figure): string {
  const { width, height } = figure.layout;
  const canvas = createCanvas(width, height, SvgExportFlag.NoPrettyXML);
  paintFigure(canvas.getContext('2d'), figure, { scale: 1, font: FONT_FAMILY, theme: LIGHT });
  return canvas.getContent().toString('utf8').replace(SPACE, ' ');
}
