import { expect, test } from 'vitest';
import { engineEnvironment } from '../../../scripts/engines/commands.ts';

test('an engine gets a name and a home for a user who has neither, and paths with any letters', () => {
  const environment = engineEnvironment({ PATH: '/bin', LC_ALL: 'ja_JP.SJIS' });
  expect(environment).toMatchObject({ PATH: '/bin', USER: 'calibron', LC_ALL: 'C.UTF-8' });
  expect(environment['HOME']).toMatch(/^\//);
});

test('a user who has a name and a home keeps them', () => {
  const environment = { USER: 'ada', HOME: '/home/ada' };
  expect(engineEnvironment(environment)).toMatchObject(environment);
});

test('the collector of an engine in Go runs less often, unless the environment says how often', () => {
  expect(engineEnvironment({})).toMatchObject({ GOGC: '400', GOMEMLIMIT: '1GiB' });
  expect(engineEnvironment({ GOGC: '50', GOMEMLIMIT: 'off' })).toMatchObject({
    GOGC: '50',
    GOMEMLIMIT: 'off',
  });
});
