import { expect, test } from 'vitest';
import { shownStandardErrors, standardErrorsBetween } from '../../console/src/compare/standard-errors.ts';
import { functionOf, problemsIn } from '../../console/src/flows/flow-text.ts';

test.each([
  [10, 3, 15, 4, 1],
  [10, 3, 5, 4, -1],
  [10, null, 15, 2.5, 2],
  [10, 0, 15, 0, null],
  [10, null, 15, null, null],
  [null, null, 15, 1, null],
])('from %d ± %d to %d ± %d are %d standard errors', (...numbers) => {
  const [before = null, error = null, after = null, errorAfter = null, count] = numbers;
  expect(standardErrorsBetween({ value: before, error }, { value: after, error: errorAfter })).toBe(count);
});

test('standard errors are shown with their sign and few digits', () => {
  expect([2.345, -0.04, 123.4].map(shownStandardErrors)).toEqual(['+2.3', '−0.0', '+123']);
});

test('the problems of a refused flow are read with their lines', () => {
  expect(
    problemsIn('Line 3: unknown task "CheckRaby". Line 12: Session has no "logg"; do you mean "log"?.'),
  ).toEqual([
    { line: 3, message: 'unknown task "CheckRaby".' },
    { line: 12, message: 'Session has no "logg"; do you mean "log"?.' },
  ]);
  expect(problemsIn('The flow takes too long to check.')).toEqual([]);
});

test('the function that ran so far goes on running while it is exported', () => {
  const code = 'export async function one() {}\nexport async function two() {}\nasync function three() {}';
  expect(functionOf(code, 'two', 'one')).toBe('one');
  expect(functionOf(code, 'two', 'gone')).toBe('two');
  expect(functionOf(code, 'three', 'gone')).toBe('two');
  expect(functionOf('const nothing = 1;', 'two', 'one')).toBeNull();
});
