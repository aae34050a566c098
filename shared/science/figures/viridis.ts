/** Viridis: even in brightness, hence readable in grey and by colour-blind eyes. */
export const VIRIDIS = [
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
];

const stops = VIRIDIS.map((colour) => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16)));

/** The colour at a part of the scale: 0 and less is the darkest, 1 and more the brightest. */
export function viridisAt(part: number): string {
  const place = Math.min(1, Math.max(0, part)) * (stops.length - 1);
  const below = Math.min(stops.length - 2, Math.floor(place));
  const channels = [0, 1, 2].map((channel) => {
    const [from = 0, to = 0] = [stops[below]?.[channel], stops[below + 1]?.[channel]];
    return Math.round(from + (to - from) * (place - below));
  });
  return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

/** Whether white is read better than black on the colour at a part of the scale. */
export function isDarkViridis(part: number): boolean {
  return part < 0.6;
}
