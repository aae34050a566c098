import { expect, test } from 'vitest';
import { formatOf, keptAs } from '../../../../shared/domain/image-processing/rules.ts';

const png = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const webp = (between: string) => [...Buffer.from(`RIFF${between}WEBP`)];

test.each([
  ['png', png],
  ['jpeg', [0xff, 0xd8, 0xff]],
  ['gif', [...Buffer.from('GIF87a')]],
  ['gif', [...Buffer.from('GIF89a')]],
  ['webp', webp('1234')],
  ['webp', webp('\0\0\0\0')],
  [null, png.slice(0, -1)],
  [null, png.with(7, 0)],
  [null, [...Buffer.from('GIF88a')]],
  [null, webp('123')],
  [null, []],
])('%s is known by its first bytes', (format, bytes) => {
  expect(formatOf(Uint8Array.from(bytes))).toBe(format);
  expect(formatOf(Uint8Array.from([...bytes, 0, 0]))).toBe(format);
});

test('an image is stored in its format; a still GIF as PNG', () => {
  expect((['png', 'jpeg', 'gif', 'webp'] as const).map((format) => keptAs(format, false))).toEqual([
    'png',
    'jpg',
    'png',
    'webp',
  ]);
  expect(keptAs('gif', true)).toBe('gif');
});
