import { expect, test } from 'vitest';
import { contentOf } from '../../../../shared/domain/menus/content-rules.ts';

const written = { name: 'daily', schedule: '0', tasks: null, task_details: null, tags: null };
const problemsOf = (fields: Partial<Parameters<typeof contentOf>[0]>) => {
  try {
    contentOf({ ...written, ...fields });
  } catch (thrown) {
    return thrown;
  }
  return null;
};

test('parts that are no texts are taken as they are', () => {
  const parts = { schedule: { serial: ['0', '1'] }, tasks: ['CheckT1'], task_details: { a: 1 }, tags: ['x'] };
  expect(contentOf({ ...written, ...parts })).toEqual({ name: 'daily', ...parts });
  expect(contentOf(written)).toEqual({ name: 'daily', schedule: '0', tasks: [], task_details: {}, tags: [] });
});

test('texts are read as JSON', () => {
  const parts = {
    schedule: ' {"serial":["0",1]} ',
    tasks: ' ["CheckT1"]',
    task_details: '{"a":1}',
    tags: '[]',
  };
  expect(contentOf({ ...written, ...parts })).toEqual({
    name: 'daily',
    schedule: { serial: ['0', '1'] },
    tasks: ['CheckT1'],
    task_details: { a: 1 },
    tags: [],
  });
  expect(contentOf({ ...written, task_details: ' ' }).task_details).toEqual({});
});

test('names are also separated by commas, and a bare id is a tree', () => {
  const { tasks, tags, schedule } = contentOf({ ...written, schedule: ' 0-1 ', tasks: ' a, ,b ', tags: '' });
  expect({ tasks, tags, schedule }).toEqual({ tasks: ['a', 'b'], tags: [], schedule: '0-1' });
});

test.each([
  ['schedule', '{'],
  ['schedule', '{"serial":["x"]}'],
  ['schedule', `${'['.repeat(70)}${']'.repeat(70)}`],
  ['tasks', '[1]'],
  ['tasks', 'x'.repeat(101)],
  ['tags', '['],
  ['task_details', '[]'],
  ['task_details', `{"a":${'['.repeat(70)}${']'.repeat(70)}}`],
  ['task_details', JSON.stringify({ ['k'.repeat(1001)]: 1 })],
])('%s %j is refused', (part, text) => {
  expect(problemsOf({ [part]: text })).toMatchObject({
    code: 'invalid_input',
    message: 'The menu is not valid.',
    problems: [
      { type: 'value_error', loc: ['body', part], msg: 'Input should be the JSON of its documented form' },
    ],
  });
});
