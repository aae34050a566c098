import { describe, expect, test } from 'vitest';
import { checkFlow } from '../../../../shared/domain/flows/check-flow.ts';
import type { JsonValue } from '../../../../shared/domain/flows/model.ts';
import {
  type ParameterDeclarations,
  parameterDeclarations,
} from '../../../../shared/domain/flows/parameter-model.ts';
import { parameterValues } from '../../../../shared/domain/flows/parameter-rules.ts';

const tasks = ['CheckRabi', 'CheckT1'];
const entry = 'export async function nightly(session) {}';

function check(...lines: string[]) {
  return checkFlow([...lines, entry].join('\n'), 'nightly', tasks);
}

/** What is wrong with the declaration of one parameter; it is on line 2. */
function problemsOf(declaration: string): string[] {
  const result = check('export const parameters = {', `  p: ${declaration},`, '};');
  return result.ok ? [] : result.problems.map(({ line, message }) => `${line}: ${message}`);
}

describe('a declaration of parameters', () => {
  test('is read from the source, with its types gone, and nothing is run', () => {
    const result = check(
      "import type { ParameterDeclarations } from 'calibron';",
      'export const parameters = {',
      "  mux_ids: { type: 'muxes', required: true, description: 'Where' },",
      "  'threshold': { type: `number`, default: -0.5, minimum: -1, maximum: 1 },",
      "  groups: { type: 'qubit_groups', default: [[0, '1'], []] },",
      "  attempts: { type: 'attempts', default: [{}, { shots: 4096 }] },",
      '} as const satisfies ParameterDeclarations;',
    );
    expect(result).toMatchObject({
      ok: true,
      parameters: {
        mux_ids: { type: 'muxes', required: true, description: 'Where' },
        threshold: { type: 'number', default: -0.5, minimum: -1, maximum: 1, description: '' },
        groups: { type: 'qubit_groups', default: [[0, '1'], []] },
        attempts: { type: 'attempts', default: [{}, { shots: 4096 }] },
      },
    });
  });

  test('need not be there', () => {
    expect(check()).toMatchObject({ ok: true, parameters: null });
    expect(check("const parameters = { p: { type: 'text' } };")).toMatchObject({
      ok: true,
      parameters: null,
    });
  });

  test.each([
    ["{ type: 'nubmer' }", /^2: parameter "p", type: Invalid option: expected one of "number"/],
    ["{ typ: 'number' }", /^2: parameter "p", type: .*\n?/],
    [
      "{ type: 'number', requierd: true }",
      /^2: parameter "p": unknown key "requierd"; did you mean "required"\?$/,
    ],
    ["{ type: 'number', zzz: true }", /^2: parameter "p": unknown key "zzz"; known are type, description, /],
    [
      "{ type: 'number', default: 'many' }",
      /^2: parameter "p": its default must be a number, but is "many"$/,
    ],
    [
      "{ type: 'number', default: 3, maximum: 2 }",
      /^2: parameter "p": its default must be at most 2, but is 3$/,
    ],
    [
      "{ type: 'text', default: 'c', one_of: ['a', 'b'] }",
      /^2: parameter "p": its default must be one of a, b/,
    ],
    [
      "{ type: 'tasks', default: ['CheckT3'] }",
      /^2: parameter "p": its default names an unknown task "CheckT3"/,
    ],
    [
      "{ type: 'text', required_unless: 'q' }",
      /^2: parameter "p": required_unless names "q", which is not declared$/,
    ],
    ["{ type: 'text', alias_of: 'q' }", /^2: parameter "p": alias_of names "q", which is not declared$/],
    ["{ type: 'text', alias_of: 'p' }", /^2: parameter "p": alias_of names "p", which is an alias itself$/],
    ["{ type: 'number', default: Math.PI }", /^2: parameters must be written out: values that are computed/],
    ["{ type: 'number', default: 2 * 3 }", /^2: parameters must be written out/],
    ['...others', /^2: /],
  ])('of %s is refused with its line and what to do', (declaration, message) => {
    expect(problemsOf(declaration)[0]).toMatch(message);
  });

  test('must be an object that is written out', () => {
    const refused = check('const a = {};', 'export const parameters = a;');
    expect(refused).toMatchObject({
      ok: false,
      problems: [{ line: 2, message: 'parameters must be written out: export const parameters = { … }' }],
    });
  });

  test('names parameters as variables are named', () => {
    expect(check("export const parameters = { 'a b': { type: 'text' } };")).toMatchObject({ ok: false });
  });
});

const declared: ParameterDeclarations = parameterDeclarations.parse({
  mux_ids: { type: 'muxes', required_unless: 'qids' },
  qids: { type: 'qubits' },
  mode: { type: 'text', one_of: ['serial', 'synchronized'], default: 'synchronized' },
  threshold: { type: 'number', minimum: 0, maximum: 1, default: 0.9 },
  rounds: { type: 'integer', required: true, description: 'How often' },
  check_only: { type: 'boolean' },
  pairs: { type: 'pairs' },
  schedule: { type: 'pair_groups' },
  groups: { type: 'qubit_groups' },
  tasks: { type: 'tasks' },
  attempts: { type: 'attempts' },
  list: { type: 'list' },
  any: { type: 'any' },
  turns: { type: 'list', alias_of: 'list' },
});

const valuesOf = (given: Record<string, JsonValue>) => parameterValues(declared, given, tasks);
const problemsWith = (given: Record<string, JsonValue>) =>
  valuesOf({ qids: [0], rounds: 1, ...given }).problems;

describe('the parameters of a run', () => {
  test('get the declared defaults; null counts as not given', () => {
    expect(valuesOf({ rounds: 2, qids: ['0'], mode: null, tasks: null })).toEqual({
      values: { rounds: 2, qids: ['0'], mode: 'synchronized', threshold: 0.9 },
      problems: [],
    });
  });

  test('are found under their name when they are given by an alias', () => {
    expect(valuesOf({ rounds: 1, qids: ['0'], turns: [1] }).values).toMatchObject({ list: [1] });
    expect(valuesOf({ rounds: 1, qids: ['0'], turns: [1] }).values).not.toHaveProperty('turns');
    expect(problemsWith({ turns: [1], list: [1] })).toEqual([]);
    expect(problemsWith({ turns: null, list: [1] })).toEqual([]);
    expect(problemsWith({ turns: [1], list: [2] })).toEqual(['list is [2], but turns, its other name, [1]']);
    expect(problemsWith({ turns: 3 })).toEqual(['list must be a list, but is 3']);
  });

  test('that are lists may be sent as a text, as forms do', () => {
    const { values, problems } = valuesOf({
      rounds: 1,
      qids: '0, 1',
      pairs: '0-1,1-2',
      tasks: 'CheckT1,CheckRabi',
      list: '2,5.69,41',
    });
    expect(problems).toEqual([]);
    expect(values).toMatchObject({
      qids: [0, 1],
      pairs: ['0-1', '1-2'],
      tasks: ['CheckT1', 'CheckRabi'],
      list: [2, 5.69, 41],
    });
    expect(problemsWith({ tasks: 'CheckT1,' })).toEqual([expect.stringMatching(/^tasks /)]);
  });

  test('are passed on where the flow declares nothing', () => {
    expect(parameterValues(null, { anything: null }, tasks)).toEqual({
      values: { anything: null },
      problems: [],
    });
  });

  test('of the service need no declaration', () => {
    expect(
      problemsWith({ chip_id: 'A', tags: ['x'], username: 'ada', flow_name: 'f', project_id: 'p' }),
    ).toEqual([]);
  });

  test('are refused all at once', () => {
    expect(valuesOf({ mode: 'seriell', threshold: 2, treshold: 1, colour: 'red' }).problems).toEqual([
      'mode must be one of serial, synchronized, but is "seriell"; did you mean serial?',
      'threshold must be at most 1, but is 2',
      'treshold is no parameter of this flow; did you mean threshold?',
      expect.stringMatching(/^colour is no parameter of this flow; it takes mux_ids, qids, mode, /),
      'mux_ids or qids is missing: a list of multiplexers, such as [0, 1]',
      'rounds is missing: a whole number (How often)',
    ]);
  });

  test.each<[string, JsonValue, JsonValue, string]>([
    ['mux_ids', [0, '1'], 0, 'a list of multiplexers, such as [0, 1]'],
    ['qids', ['0', 1], [0.5], 'a list of qubits, such as [0, 1]'],
    ['threshold', 0.5, '0.5', 'a number'],
    ['rounds', 3, 2.5, 'a whole number'],
    ['check_only', false, 'false', 'true or false'],
    ['mode', 'serial', 1, 'a text'],
    ['pairs', ['0-1', [1, '2']], ['0', [1]], 'a list of pairs, such as ["0-1"]'],
    [
      'schedule',
      [['0-1'], [[2, 3]]],
      ['0-1'],
      'a list of groups of pairs, such as [["0-1", "2-3"], ["1-2"]]',
    ],
    ['groups', [[0], ['1']], [0], 'a list of groups of qubits, such as [[0, 1], [2]]'],
    ['tasks', ['CheckT1'], [], 'a list of task names'],
    [
      'attempts',
      [{}],
      [1],
      'a list of attempts: run parameters, or { run_parameters, input_offsets }, such as [{}, {"shots": 4096}]',
    ],
    ['list', [1, 'a'], 'a', 'a list'],
  ])('%s: %j is taken, %j is not', (name, good, bad, called) => {
    expect(problemsWith({ [name]: good })).toEqual([]);
    expect(problemsWith({ [name]: bad })).toEqual([
      `${name} must be ${called}, but is ${JSON.stringify(bad)}`,
    ]);
  });

  test('of any kind are taken as they are', () => {
    expect(valuesOf({ qids: [0], rounds: 1, any: { a: [true] } }).values).toMatchObject({
      any: { a: [true] },
    });
  });

  test('below the minimum, and tasks that no catalog has, are reported', () => {
    expect(problemsWith({ threshold: -1 })).toEqual(['threshold must be at least 0, but is -1']);
    expect(problemsWith({ tasks: ['CheckT1', 'Dance'] })).toEqual(['tasks names an unknown task "Dance"']);
  });
});
