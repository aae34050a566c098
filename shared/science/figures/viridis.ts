import { channelsAt, SEQUENTIAL } from './colour-scales.ts';

/** The colour at a fraction of the scale. 0 and less give the darkest colour, 1 and more the brightest. */
export function viridisAt(part: number): string {
  return `#${channelsAt(SEQUENTIAL, part)
    .map((channel) => channel.toString(16).padStart(2, '0'))
    .join('')}`;
}

/** Whether white is more legible than black on the colour at a fraction of the scale. */
export function isDarkViridis(part: number): boolean {
  return part < 0.6;
}
