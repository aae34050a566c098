import { expect, test } from 'vitest';
import { shownFilePaths, storedFilePath } from '../../../../shared/domain/artifacts/path-rules.ts';
import { projectNamed } from '../../../support/ids.ts';

const chip = { project_id: projectNamed('p1'), chip_id: 'A16' };

test('a path is stored relative to the root, whichever root it was written under', () => {
  const inside = 'p1/A16/20260102/007/fig/a.png';
  for (const root of ['/data', '/home/lab/.data/calib_data', '/backup/p1/A16', '']) {
    expect(storedFilePath(`${root}/${inside}`, chip)).toBe(inside);
  }
  expect(storedFilePath(inside, chip)).toBe(inside);
  expect(storedFilePath('/etc/fig.png', chip)).toBe('/etc/fig.png');
});

test('clients see absolute paths under the present root', () => {
  const paths = ['p1/A16/20260102/007/fig/a.png', '/before/p1/A16/20260102/007/fig/a.png', '/etc/fig.png'];
  const present = '/data/p1/A16/20260102/007/fig/a.png';
  expect(shownFilePaths('/data', paths, chip)).toEqual([present, present, '/etc/fig.png']);
});
