import { expect, test } from 'vitest';
import { formatOf, imageAt, isImageName } from '../../../../shared/domain/images/rules.ts';

test('a format is told by the first bytes alone', () => {
  expect(formatOf(Buffer.from('GIF89a…'))).toBe('gif');
  expect(formatOf(Buffer.from('RIFF1234WEBPVP8 '))).toBe('webp');
  expect(formatOf(Buffer.from('RIFF1234WAVE'))).toBeNull();
  expect(formatOf(Buffer.from([0xff, 0xd8, 0xff, 0xe0]))).toBe('jpeg');
  expect(formatOf(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))).toBeNull();
  expect(formatOf(Buffer.alloc(0))).toBeNull();
});

test('a name is a random id and a known ending, never a path', () => {
  const id = '0f8fad5b-d9cb-469f-a165-70867728950e';
  expect(isImageName(`${id}.png`)).toBe(true);
  expect(isImageName(`${id}.gif`)).toBe(true);
  for (const wrong of [`${id}.svg`, `${id}.png.html`, `../${id}.png`, `${id}`, `${id}.png\n`]) {
    expect(isImageName(wrong)).toBe(false);
  }
});

test('an address shows an image under /api or not, of a place that there is', () => {
  const name = '0f8fad5b-d9cb-469f-a165-70867728950e.png';
  expect(imageAt(`/api/forum/images/${name}`)).toEqual({ place: 'forum', name });
  expect(imageAt(`/issues/images/${name}`)).toEqual({ place: 'issues', name });
  for (const other of [`/notes/images/${name}`, '/forum/images/..', `https://x.org/forum/images/${name}`]) {
    expect(imageAt(other)).toBeNull();
  }
});
