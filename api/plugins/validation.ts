import type { FastifySchemaCompiler } from 'fastify';
import type { z } from 'zod';
import { CalibronError, type Problem } from '../../shared/kernel/errors.ts';
import { unknownNameText, withKnownNames } from './known-names.ts';
import { withoutLeftOut } from './optional-nulls.ts';

const parts: Record<string, string> = {
  body: 'body',
  querystring: 'query',
  params: 'path',
  headers: 'header',
};

/** Validates a part of a request against its zod schema. All problems are reported in one 422 response. */
export const validateWithZod: FastifySchemaCompiler<z.ZodType> = ({ schema, httpPart }) => {
  const part = parts[httpPart ?? ''] ?? 'body';
  return (data: unknown) => {
    // A missing body counts as an empty object.
    const known = withKnownNames(schema, part === 'body' && data === null ? {} : data);
    const given = part === 'body' ? withoutLeftOut(schema, known) : known;
    const checked = schema.safeParse(given);
    if (checked.success) return { value: checked.data };
    const problems = checked.error.issues.flatMap((issue) => problemsOf(schema, issue, { given, part }));
    return { error: new CalibronError('invalid_input', 'The request is not valid.', { problems }) };
  };
};

function problemsOf(
  schema: z.ZodType,
  issue: z.core.$ZodIssue,
  { given, part }: { given: unknown; part: string },
): Problem[] {
  const at = issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
  const loc = [part, ...at];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      type: 'extra_forbidden',
      loc: [...loc, key],
      msg: unknownNameText(schema, issue.path, key),
    }));
  }
  const value = valueAt(given, issue.path);
  if (value === undefined && issue.path.length > 0) return [{ type: 'missing', loc, msg: 'Field required' }];
  return [{ ...describe(issue, value, part !== 'body'), loc }];
}

function valueAt(given: unknown, path: readonly PropertyKey[]): unknown {
  let value = given;
  for (const part of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Object.getOwnPropertyDescriptor(value, part)?.value;
  }
  return value;
}

/** Type and message of a problem. The message states the rule and never contains the given value. */
function describe(issue: z.core.$ZodIssue, value: unknown, isText: boolean): { type: string; msg: string } {
  switch (issue.code) {
    case 'invalid_type':
      return wrongType(issue.expected, value, isText);
    case 'too_small':
      return outOfBounds(
        issue.origin,
        issue.minimum,
        issue.inclusive === false ? 'greater_than' : 'greater_than_equal',
      );
    case 'too_big':
      return outOfBounds(
        issue.origin,
        issue.maximum,
        issue.inclusive === false ? 'less_than' : 'less_than_equal',
      );
    case 'invalid_format':
      return wrongFormat(issue);
    case 'invalid_value':
      return {
        type: 'enum',
        msg: `Input should be one of ${issue.values.map((each) => `'${String(each)}'`).join(', ')}`,
      };
    case 'not_multiple_of':
      return { type: 'multiple_of', msg: `Input should be a multiple of ${issue.divisor}` };
    case 'custom':
      return { type: typeOfCustom(issue.params), msg: `Input ${issue.message}` };
    case 'invalid_union':
      return { type: 'value_error', msg: formsText(issue.errors, value, isText) };
    case 'invalid_key':
      return { type: 'value_error', msg: `The name is not valid: ${firstText(issue.issues, '', true)}` };
    default:
      return { type: 'value_error', msg: 'Input should have one of the documented forms' };
  }
}

/** What each form of a value that may have several wants. */
function formsText(forms: readonly (readonly z.core.$ZodIssue[])[], value: unknown, isText: boolean): string {
  const texts = new Set(
    forms.filter((form) => form.length > 0).map((form) => firstText(form, value, isText)),
  );
  if (texts.size === 0) return 'Input should have one of the documented forms';
  return `Input should have one of the documented forms: ${[...texts].join('; or ')}`;
}

/** The first problem of a value, with the place within it. */
function firstText([first]: readonly z.core.$ZodIssue[], value: unknown, isText: boolean): string {
  if (!first) return 'Input should have the documented form';
  const { msg } = describe(first, valueAt(value, first.path), isText);
  return first.path.length === 0 ? msg : `${first.path.map(String).join('.')}: ${msg}`;
}

/** The problem type that a schema's own check specifies, or the default. */
function typeOfCustom(params: Record<string, unknown> | undefined): string {
  return typeof params?.type === 'string' ? params.type : 'value_error';
}

const typeWords: Record<string, [type: string, words: string]> = {
  string: ['string_type', 'a valid string'],
  boolean: ['bool', 'a valid boolean'],
  array: ['list_type', 'a valid list'],
  object: ['model_attributes_type', 'a valid object'],
  record: ['dict_type', 'a valid dictionary'],
  int: ['int', 'a valid integer'],
  number: ['float', 'a valid number'],
  date: ['datetime', 'a valid ISO 8601 date and time'],
};

function wrongType(expected: string, value: unknown, isText: boolean): { type: string; msg: string } {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    return { type: 'finite_number', msg: 'Input should be a finite number' };
  }
  if (expected === 'int' && typeof value === 'number') {
    return {
      type: 'int_from_float',
      msg: 'Input should be a valid integer, got a number with a fractional part',
    };
  }
  const [type, words] = typeWords[expected] ?? ['value_error', `of type ${expected}`];
  const parsed = isText || typeof value === 'string' ? 'parsing' : 'type';
  return {
    type: /^(int|float|bool|datetime)$/.test(type) ? `${type}_${parsed}` : type,
    msg: `Input should be ${words}`,
  };
}

function outOfBounds(
  origin: string,
  bound: number | bigint,
  numberType: 'greater_than' | 'greater_than_equal' | 'less_than' | 'less_than_equal',
): { type: string; msg: string } {
  const atLeast = numberType.startsWith('greater');
  if (origin === 'string') {
    return {
      type: atLeast ? 'string_too_short' : 'string_too_long',
      msg: `String should have at ${atLeast ? 'least' : 'most'} ${bound} character${Number(bound) === 1 ? '' : 's'}`,
    };
  }
  if (origin === 'array') {
    return {
      type: atLeast ? 'too_short' : 'too_long',
      msg: `List should have at ${atLeast ? 'least' : 'most'} ${bound} item${Number(bound) === 1 ? '' : 's'}`,
    };
  }
  const comparison = numberType.replace('_equal', '_or_equal_to').replaceAll('_', ' ');
  return { type: numberType, msg: `Input should be ${comparison} ${bound}` };
}

function wrongFormat({ format, pattern }: { format: string; pattern?: string | undefined }): {
  type: string;
  msg: string;
} {
  if (format === 'uuid') return { type: 'uuid_parsing', msg: 'Input should be a valid UUID' };
  const expected = pattern === undefined ? 'the documented pattern' : `pattern '${sourceOf(pattern)}'`;
  return { type: 'string_pattern_mismatch', msg: `String should match ${expected}` };
}

/** A regular expression as text, without the slashes and flags around it. */
function sourceOf(pattern: string): string {
  return /^\/(.*)\/[a-z]*$/s.exec(pattern)?.[1] ?? pattern;
}
