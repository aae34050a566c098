/** Colours of a drawn figure. */
export interface Theme {
  background: string;
  text: string;
  lines: string;
  gridLines: string;
  /** Series in their order. */
  palette: readonly string[];
  /** Edges that separate points from each other. */
  edge: string;
}

/**
 * Colours that people with any kind of colour vision can distinguish (https://jfly.uni-koeln.de/color/), without the
 * yellow, which is too pale on white.
 */
export const PALETTE: readonly string[] = [
  '#0072b2',
  '#d55e00',
  '#009e73',
  '#cc79a7',
  '#56b4e9',
  '#e69f00',
  '#000000',
];

/** For white pages. The stored PNG beside each description uses it. */
export const LIGHT: Theme = {
  background: '#ffffff',
  text: '#1a1a1a',
  lines: '#4d4d4d',
  gridLines: '#e3e3e3',
  palette: PALETTE,
  edge: '#ffffff',
};

/** For dark pages: the same hues, brighter. */
export const DARK: Theme = {
  background: '#14161a',
  text: '#e8eaed',
  lines: '#9aa0a6',
  gridLines: '#33373d',
  palette: ['#4aa8e8', '#ff8f45', '#2fd0a0', '#e6a3c8', '#9fd8f7', '#f5c04d', '#ffffff'],
  edge: '#14161a',
};

/**
 * The colour that a figure names, or that of the series at this index. A colour of the light palette is replaced by its
 * counterpart.
 */
export function colourIn(theme: Theme, place: number, named?: string): string {
  const own = named === undefined ? place : PALETTE.indexOf(named);
  if (named !== undefined && own < 0) return named;
  return theme.palette[own % theme.palette.length] ?? theme.text;
}
