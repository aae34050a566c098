import { createCanvas } from '@napi-rs/canvas';
import { type ColourScale, SEQUENTIAL } from './colour-scales.ts';

/** Accepts any colour that the canvas can read. */
const probe = createCanvas(1, 1).getContext('2d');
/** A colour that no caller uses. If the probe still has it, the canvas has not parsed the text. */
const UNREAD = '#010203';

/**
 * A CSS colour as '#rrggbb'; undefined if the canvas cannot read it, because it would then keep the previous colour.
 */
export function readColour(colour: string): string | undefined {
  if (/^#[0-9a-f]{6}$/i.test(colour)) return colour;
  probe.fillStyle = UNREAD;
  probe.fillStyle = colour;
  if (probe.fillStyle === UNREAD) return undefined;
  probe.clearRect(0, 0, 1, 1);
  probe.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = probe.getImageData(0, 0, 1, 1).data;
  return `#${[red, green, blue].map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

/** The given scale if its positions ascend from 0 to 1 and its colours can be read; otherwise the default scale. */
export function readColourScale(named: ColourScale = SEQUENTIAL): ColourScale {
  const read = named.flatMap(([place, colour]) => {
    const known = readColour(colour);
    return known === undefined || !(place >= 0 && place <= 1) ? [] : [[place, known] as const];
  });
  const ascends = read.every(([place], index) => place >= (read[index - 1]?.[0] ?? 0));
  return read.length === named.length && read.length > 1 && ascends ? read : SEQUENTIAL;
}
