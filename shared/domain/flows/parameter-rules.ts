import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { nearestName, unknownTask } from '../../kernel/near-names.ts';
import { listIfText } from '../../kernel/text.ts';
import { type JsonValue, jsonValue } from './model.ts';
import type { ParameterDeclaration, ParameterDeclarations, ParameterType } from './parameter-model.ts';

/** Parameters that the service itself reads or adds; a flow does not need to declare them. */
const serviceParameters = [
  'chip_id',
  'backend_name',
  'tags',
  'username',
  'flow_name',
  'project_id',
  'source_execution_id',
];

const id = z.union([z.string().min(1), z.number().int().nonnegative()]);
const pair = z.union([z.string().regex(/^[^-]+-[^-]+$/), z.tuple([id, id])]);

/** Schema of each type, and its name in messages. */
const types: Record<ParameterType, { schema: z.ZodType; called: string }> = {
  number: { schema: z.number(), called: 'a number' },
  integer: { schema: z.number().int(), called: 'a whole number' },
  text: { schema: z.string(), called: 'a text' },
  boolean: { schema: z.boolean(), called: 'true or false' },
  qubits: { schema: z.array(id), called: 'a list of qubits, such as [0, 1]' },
  muxes: { schema: z.array(id), called: 'a list of multiplexers, such as [0, 1]' },
  pairs: { schema: z.array(pair), called: 'a list of pairs, such as ["0-1"]' },
  qubit_groups: { schema: z.array(z.array(id)), called: 'a list of groups of qubits, such as [[0, 1], [2]]' },
  pair_groups: {
    schema: z.array(z.array(pair)),
    called: 'a list of groups of pairs, such as [["0-1", "2-3"], ["1-2"]]',
  },
  tasks: { schema: z.array(z.string()).min(1), called: 'a list of task names' },
  attempts: {
    schema: z.array(z.record(z.string(), z.unknown())).min(1),
    called:
      'a list of attempts: run parameters, or { run_parameters, input_offsets }, such as [{}, {"shots": 4096}]',
  },
  list: { schema: z.array(z.unknown()), called: 'a list' },
  any: { schema: z.unknown(), called: 'a value' },
};

/** Parameters of a run, and messages about invalid ones. */
export interface CheckedParameters {
  values: Record<string, JsonValue>;
  problems: string[];
}

/** Maximum number of problems reported for one request, and of names in one message. */
const MAX_PROBLEMS = 10;
const MAX_NAMES_LISTED = 20;

/**
 * The parameters of a run with the declared defaults, and messages about the first ten invalid ones. Null counts as absent; a
 * string for a list is split. A flow without a declaration accepts any parameters.
 */
export function parameterValues(
  declarations: ParameterDeclarations | null,
  given: Readonly<Record<string, JsonValue>>,
  knownTasks: readonly string[],
): CheckedParameters {
  if (declarations === null) return { values: { ...given }, problems: [] };
  const values: Record<string, JsonValue> = {};
  const { given: sentByName, problems } = withoutAliases(declarations, given);
  for (const [name, sent] of Object.entries(sentByName)) {
    if (problems.length >= MAX_PROBLEMS) return { values, problems: problems.slice(0, MAX_PROBLEMS) };
    const declaration = Object.hasOwn(declarations, name) ? declarations[name] : undefined;
    const value = declaration === undefined ? sent : taken(declaration, sent);
    if (serviceParameters.includes(name) && declaration === undefined) values[name] = value;
    else if (value === null) continue;
    else if (declaration === undefined) problems.push(undeclared(name, Object.keys(declarations)));
    else {
      values[name] = value;
      problems.push(...valueProblems(declaration, value, knownTasks).map((why) => `${name} ${why}`));
    }
  }
  for (const [name, declaration] of Object.entries(declarations)) {
    if (values[name] !== undefined) continue;
    if (declaration.default !== undefined) values[name] = declaration.default;
    else if (declaration.required) problems.push(`${name} is missing: ${wanted(declaration)}`);
    else if (
      declaration.required_unless !== undefined &&
      (sentByName[declaration.required_unless] ?? null) === null
    ) {
      problems.push(`${name} or ${declaration.required_unless} is missing: ${wanted(declaration)}`);
    }
  }
  return { values, problems };
}

/** What was given, each value under the name of its parameter; both names of a parameter must not contradict each other. */
function withoutAliases(
  declarations: ParameterDeclarations,
  given: Readonly<Record<string, JsonValue>>,
): { given: Record<string, JsonValue>; problems: string[] } {
  const result = { ...given };
  const problems: string[] = [];
  for (const [alias, { alias_of: name }] of Object.entries(declarations)) {
    const value = Object.hasOwn(given, alias) ? (given[alias] ?? null) : null;
    if (name === undefined) continue;
    delete result[alias];
    if (value === null) continue;
    const other = result[name] ?? null;
    if (other === null) result[name] = value;
    else if (!isDeepStrictEqual(other, value)) {
      problems.push(`${name} is ${shown(other)}, but ${alias}, its other name, ${shown(value)}`);
    }
  }
  return { given: result, problems };
}

/** List types whose items a form can send as one string. */
const flatLists: readonly ParameterType[] = ['qubits', 'muxes', 'pairs', 'tasks', 'list'];

function taken({ type }: ParameterDeclaration, sent: JsonValue): JsonValue {
  return flatLists.includes(type) ? jsonValue.parse(listIfText(sent)) : sent;
}

/** Problems of a value, as the continuation of a message about its name. */
export function valueProblems(
  declaration: ParameterDeclaration,
  value: JsonValue,
  knownTasks: readonly string[],
): string[] {
  const { schema, called } = types[declaration.type];
  if (!schema.safeParse(value).success) return [`must be ${called}, but is ${shown(value)}`];
  const { minimum, maximum, one_of, type } = declaration;
  if (typeof value === 'number' && minimum !== undefined && value < minimum) {
    return [`must be at least ${minimum}, but is ${value}`];
  }
  if (typeof value === 'number' && maximum !== undefined && value > maximum) {
    return [`must be at most ${maximum}, but is ${value}`];
  }
  if (one_of !== undefined && typeof value === 'string' && !one_of.includes(value)) {
    const nearest = nearestName(value, one_of);
    const hint = nearest === undefined ? '' : `; did you mean ${nearest}?`;
    return [`must be one of ${listed(one_of)}, but is ${shown(value)}${hint}`];
  }
  if (type !== 'tasks' || !Array.isArray(value)) return [];
  return value
    .filter((task) => typeof task === 'string')
    .filter((task) => !knownTasks.includes(task))
    .slice(0, MAX_PROBLEMS)
    .map((task) => `names an ${unknownTask(task, knownTasks)}`);
}

function undeclared(name: string, declared: readonly string[]): string {
  const nearest = nearestName(name, declared);
  const cure = nearest === undefined ? `it takes ${listed(declared) || 'none'}` : `did you mean ${nearest}?`;
  return `${shownName(name)} is no parameter of this flow; ${cure}`;
}

function listed(names: readonly string[]): string {
  const more = names.length - MAX_NAMES_LISTED;
  return `${names.slice(0, MAX_NAMES_LISTED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function shownName(name: string): string {
  return name.length > 100 ? `${name.slice(0, 100)}…` : name;
}

function wanted({ type, description }: ParameterDeclaration): string {
  return `${types[type].called}${description === '' ? '' : ` (${description})`}`;
}

function shown(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
