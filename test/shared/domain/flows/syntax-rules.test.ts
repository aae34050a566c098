import { type AnyNode, parse, parseExpressionAt } from 'acorn';
import { expect, test } from 'vitest';
import {
  isFunction,
  lineOf,
  literalText,
  propertyName,
} from '../../../../shared/domain/flows/syntax-rules.ts';

const parsed = (code: string, locations = true): AnyNode =>
  parseExpressionAt(code, 0, { ecmaVersion: 'latest', locations });
const [declaration] = parse('function f() {}', { ecmaVersion: 'latest' }).body;
const propertyIn = (code: string) => {
  const object = parsed(code);
  const [property] = object.type === 'ObjectExpression' ? object.properties : [];
  if (property?.type !== 'Property') throw new Error(`${code} has no property.`);
  return propertyName(property.key, property.computed);
};

test('a node has a line if the parser recorded it', () => {
  expect(lineOf(parsed('\n\n1'))).toBe(3);
  expect(lineOf(parsed('\n\n1', false))).toBe(1);
});

test('functions of every form are functions', () => {
  for (const code of ['function () {}', '() => 1']) expect(isFunction(parsed(code))).toBe(true);
  expect(isFunction(declaration)).toBe(true);
  for (const node of [parsed('f()'), null, undefined]) expect(isFunction(node)).toBe(false);
});

test('only literals have a text', () => {
  expect(literalText(parsed("'a'"))).toBe('a');
  expect(literalText(parsed('`a`'))).toBe('a');
  // biome-ignore lint/suspicious/noTemplateCurlyInString: code of a flow
  for (const code of ['1', '`a${b}`', 'a']) expect(literalText(parsed(code))).toBeUndefined();
  for (const nothing of [null, undefined]) expect(literalText(nothing)).toBeUndefined();
});

test('the name of a property is known unless it is computed', () => {
  expect(propertyIn('{ a: 1 }')).toBe('a');
  expect(propertyIn("{ 'a b': 1 }")).toBe('a b');
  expect(propertyIn("{ ['a']: 1 }")).toBe('a');
  expect(propertyIn('{ [a]: 1 }')).toBeUndefined();
});
