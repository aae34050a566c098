import { inflateSync } from 'node:zlib';
import { expect } from 'vitest';

/** A decoded picture: four bytes (red, green, blue, alpha) for each pixel. */
export interface Picture {
  width: number;
  height: number;
  pixels: Uint8Array;
}

/** Decodes a PNG of eight bits in true colour, with or without alpha, not interlaced; fails the test for anything else. */
export function decodePng(png: Uint8Array): Picture {
  const buffer = Buffer.from(png);
  expect(buffer.subarray(0, 8).toString('hex')).toBe('89504e470d0a1a0a');
  const data: Buffer[] = [];
  let header = Buffer.alloc(13);
  for (let offset = 8; offset < buffer.length; ) {
    const length = buffer.readUInt32BE(offset);
    const type = buffer.toString('latin1', offset + 4, offset + 8);
    const content = buffer.subarray(offset + 8, offset + 8 + length);
    if (type === 'IHDR') header = content;
    if (type === 'IDAT') data.push(content);
    offset += 12 + length;
  }
  const channels = header[9] === 6 ? 4 : 3;
  expect([header[8], header[9], header[12]]).toEqual([8, channels === 4 ? 6 : 2, 0]);
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const samples = unfilter(inflateSync(Buffer.concat(data)), channels, width * channels, height);
  if (channels === 4) return { width, height, pixels: samples };
  const pixels = new Uint8Array(width * height * 4).fill(255);
  for (let from = 0, to = 0; from < samples.length; from += channels, to += 4) {
    pixels.set(samples.subarray(from, from + channels), to);
  }
  return { width, height, pixels };
}

/** Undoes the prediction that each row was stored with (https://www.w3.org/TR/png-3/#9Filters). */
function unfilter(raw: Uint8Array, channels: number, stride: number, rows: number): Uint8Array {
  const pixels = new Uint8Array(stride * rows);
  for (let row = 0; row < rows; row++) {
    const filter = raw[row * (stride + 1)] ?? 0;
    if (filter === 0) {
      pixels.set(raw.subarray(row * (stride + 1) + 1, (row + 1) * (stride + 1)), row * stride);
      continue;
    }
    for (let column = 0; column < stride; column++) {
      const at = row * stride + column;
      const left = column < channels ? 0 : (pixels[at - channels] ?? 0);
      const above = row === 0 ? 0 : (pixels[at - stride] ?? 0);
      const corner = row === 0 || column < channels ? 0 : (pixels[at - stride - channels] ?? 0);
      const predicted = predict(filter, left, above, corner);
      pixels[at] = (raw[row * (stride + 1) + 1 + column] ?? 0) + predicted;
    }
  }
  return pixels;
}

function predict(filter: number, left: number, above: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return above;
  if (filter === 3) return (left + above) >> 1;
  const estimate = left + above - corner;
  const [a, b, c] = [Math.abs(estimate - left), Math.abs(estimate - above), Math.abs(estimate - corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? above : corner;
}

/** Whether no pixel lets a page shine through. */
export function isOpaque({ pixels }: Picture): boolean {
  for (let at = 3; at < pixels.length; at += 4) if (pixels[at] !== 255) return false;
  return true;
}

/** Share of dark pixels in a part of the picture, given in parts of its width and height. */
export function darkShare(
  picture: Picture,
  area: { left: number; top: number; right: number; bottom: number },
): number {
  let [dark, all] = [0, 0];
  for (let y = Math.floor(area.top * picture.height); y < area.bottom * picture.height; y++) {
    for (let x = Math.floor(area.left * picture.width); x < area.right * picture.width; x++) {
      const at = 4 * (y * picture.width + x);
      const brightness =
        ((picture.pixels[at] ?? 0) + (picture.pixels[at + 1] ?? 0) + (picture.pixels[at + 2] ?? 0)) / 3;
      all++;
      if (brightness < 100) dark++;
    }
  }
  return dark / all;
}
