import { expect, test } from 'vitest';
import { imageAt, isImageName } from '../../../../shared/domain/images/rules.ts';

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
