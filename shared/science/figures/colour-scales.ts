/** Colours by their positions from 0 to 1. */
export type ColourScale = readonly (readonly [number, string])[];

/** Viridis: perceptually uniform, so readable in grey and by people with colour blindness. */
export const SEQUENTIAL = evenly([
  '#440154',
  '#482878',
  '#3e4a89',
  '#31688e',
  '#26828e',
  '#1f9e89',
  '#35b779',
  '#6ece58',
  '#b5de2b',
  '#fde725',
]);

/**
 * From blue over white to red, for signed values about zero: the reverse of ColorBrewer's RdBu
 * (https://colorbrewer2.org/#type=diverging&scheme=RdBu&n=11).
 */
export const DIVERGING = evenly([
  '#053061',
  '#2166ac',
  '#4393c3',
  '#92c5de',
  '#d1e5f0',
  '#f7f7f7',
  '#fddbc7',
  '#f4a582',
  '#d6604d',
  '#b2182b',
  '#67001f',
]);

function evenly(colours: readonly string[]): ColourScale {
  return colours.map((colour, index) => [index / (colours.length - 1), colour] as const);
}

/** Red, green and blue from 0 to 255 at a position of the scale. */
export function channelsAt(scale: ColourScale, place: number): [number, number, number] {
  const inside = Math.min(1, Math.max(0, place));
  const above = Math.max(
    1,
    scale.findIndex(([at]) => at >= inside),
  );
  const [[from, dark] = [0, '#000000'], [to, bright] = [1, '#ffffff']] = [scale[above - 1], scale[above]];
  const part = to > from ? (inside - from) / (to - from) : 0;
  const channel = (at: number) => {
    const [a, b] = [dark, bright].map((colour) => Number.parseInt(colour.slice(at, at + 2), 16));
    return Math.round((a ?? 0) + ((b ?? 0) - (a ?? 0)) * part);
  };
  return [channel(1), channel(3), channel(5)];
}

/** Whether white is more legible than black on this colour. */
export function isDark([red, green, blue]: readonly [number, number, number]): boolean {
  return 0.299 * red + 0.587 * green + 0.114 * blue < 140;
}
