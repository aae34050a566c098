/** Tasks that are not in the catalog: a backend declares, measures and analyses them itself. */
import { z } from 'zod';
import { sha256 } from '../kernel/new-ids.ts';
import { type CatalogUnit, isCatalogUnit } from '../science/conventions/unit-table.ts';
import { findTask, taskCatalog } from './catalog.ts';
import { type Bounds, type TaskDefinition, type TaskInput, valueType } from './model.ts';
import { runOptionProblems } from './run-options.ts';
import { resolveRunParameters } from './run-parameters.ts';

/** Maximum bytes of JSON of one declaration. */
const DECLARATION_LIMIT = 16 * 1024;
/** Maximum number of inputs, of run parameters and of outputs. */
const PARAMETER_LIMIT = 50;
/** Maximum number of reported problems of one declaration. */
const PROBLEM_LIMIT = 5;
/** Default time limit of a measurement, seconds. */
const DEFAULT_TIMEOUT = 300;

/** Names that a task, or a parameter of it, may have. */
export const taskNamePattern = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;

const parameterName = z
  .string()
  .regex(taskNamePattern, 'a name has up to 64 letters, digits and underscores')
  .refine((name) => !(name in {}), 'this name is reserved');
const text = z.string().max(500).default('');
const unit = z.custom<CatalogUnit>(
  (given) => typeof given === 'string' && isCatalogUnit(given),
  'not a unit: use a symbol such as us, GHz or rad, or an empty text for a plain number',
);
const bound = z.number().min(-1e30).max(1e30).optional();
const bounds = { minimum: bound, maximum: bound, exclusive_minimum: z.boolean().default(false) };

function parameters<Schema extends z.ZodType>(schema: Schema) {
  return z
    .record(parameterName, schema)
    .refine((given) => Object.keys(given).length <= PARAMETER_LIMIT, `at most ${PARAMETER_LIMIT} are allowed`)
    .default({});
}

const declaredInput = z.strictObject({
  unit: unit.default(''),
  description: text,
  required: z.boolean().default(true),
  fallback: z.number().optional(),
  /** For a task of couplings: the role whose value it is. */
  from: z.enum(['control', 'target', 'coupling']).optional(),
  /** Name of the stored value, if it differs. */
  parameter: parameterName.optional(),
  ...bounds,
});

const declaredRunParameter = z.strictObject({
  value: z.union([
    z.number(),
    z.string().max(500),
    z.boolean(),
    z.null(),
    z.array(z.union([z.number(), z.string().max(500)])).max(100),
  ]),
  value_type: valueType,
  unit: unit.default(''),
  description: text,
  choices: z.array(z.string().max(100)).max(50).optional(),
  ...bounds,
});

const declaredOutput = z.strictObject({
  unit: unit.default(''),
  description: text,
  optional: z.boolean().default(false),
  ...bounds,
});

/** A worker's declaration of its own task. */
const taskDeclaration = z.strictObject({
  type: z.enum(['qubit', 'coupling']),
  inputs: parameters(declaredInput),
  run_parameters: parameters(declaredRunParameter),
  outputs: parameters(declaredOutput),
  /** A result with an r2 at or below this is refused; null for a task without a fit. */
  r2_threshold: z.number().min(0).max(1).nullable().default(null),
  /** Time limit of a measurement, seconds. */
  timeout: z.number().min(1).max(3600).default(DEFAULT_TIMEOUT),
  /** Whether a target continues with the tasks that follow if a result of this one is refused. */
  goes_on_when_refused: z.boolean().default(false),
});
export type TaskDeclaration = z.infer<typeof taskDeclaration>;

/** A declaration that was accepted, in the form in which it is stored. */
export interface OwnTask {
  name: string;
  description: string;
  declaration: TaskDeclaration;
  /** Hash of name, description and declaration. */
  hash: string;
}

/**
 * Reads a worker's declaration of a task.
 * @returns the task, or a message with all problems
 */
export function readOwnTask(name: string, description: string, given: unknown): OwnTask | string {
  const called = parameterName.safeParse(name);
  if (!called.success) return `The task cannot be called so: ${called.error.issues[0]?.message}.`;
  if (findTask(name)) return `The catalog has a task ${name}; give your own task another name.`;
  if ((JSON.stringify(given) ?? '').length > DECLARATION_LIMIT) {
    return `The declaration of ${name} has more than ${DECLARATION_LIMIT} bytes.`;
  }
  const read = taskDeclaration.safeParse(given);
  if (!read.success) {
    const problems = read.error.issues.map((issue) => {
      const { message } = (issue.code === 'invalid_key' && issue.issues[0]) || issue;
      return `${issue.path.join('.') || 'it'}: ${message}`;
    });
    return `The declaration of ${name} is wrong: ${problems.slice(0, PROBLEM_LIMIT).join('; ')}.`;
  }
  const hash = sha256(JSON.stringify(sorted({ name, description, declaration: read.data })));
  const task = { name, description, declaration: read.data, hash };
  const problems = problemsOf(task);
  return problems.length === 0 ? task : problems.slice(0, PROBLEM_LIMIT).join(' ');
}

/** The task in the form of the catalog. */
export function definitionOf(
  backend: string,
  { name, description, declaration, hash }: OwnTask,
): TaskDefinition {
  return {
    name,
    taskType: declaration.type,
    category: 'Lab',
    description,
    backends: [backend],
    inputs: mapped(declaration.inputs, (input): TaskInput => {
      const { fallback, from, parameter } = input;
      return {
        unit: input.unit,
        valueType: 'float',
        description: input.description,
        required: input.required,
        ...(fallback === undefined ? {} : { fallback }),
        ...(from === undefined ? {} : { from }),
        ...(parameter === undefined ? {} : { parameter }),
        ...boundsOf(input),
      };
    }),
    runParameters: mapped(declaration.run_parameters, (parameter) => ({
      value: parameter.value,
      valueType: parameter.value_type,
      unit: parameter.unit,
      description: parameter.description,
      ...(parameter.choices === undefined ? {} : { choices: parameter.choices }),
      ...boundsOf(parameter),
    })),
    outputs: mapped(declaration.outputs, (output) => ({
      unit: output.unit,
      valueType: 'float' as const,
      description: output.description,
      ...(output.optional ? { optional: true as const } : {}),
      ...boundsOf(output),
    })),
    figures: [],
    scope: 'target',
    kind: 'measured',
    timeout: declaration.timeout,
    r2Threshold: declaration.r2_threshold,
    ...(declaration.goes_on_when_refused ? { goesOnWhenRefused: true as const } : {}),
    declared: { backend, hash },
  };
}

type Bounded = { minimum?: number | undefined; maximum?: number | undefined; exclusive_minimum: boolean };

function boundsOf({ minimum, maximum, exclusive_minimum }: Bounded): { bounds?: Bounds } {
  if (minimum === undefined && maximum === undefined) return {};
  return {
    bounds: {
      ...(minimum === undefined ? {} : { minimum }),
      ...(maximum === undefined ? {} : { maximum }),
      ...(exclusive_minimum ? { exclusiveMinimum: true } : {}),
    },
  };
}

/** Messages about a declaration that contradicts itself or the catalog. */
function problemsOf(task: OwnTask): string[] {
  const { name, declaration } = task;
  const problems: string[] = [];
  const { inputs, outputs, run_parameters } = declaration;
  for (const [what, table] of Object.entries({ inputs, outputs, run_parameters })) {
    for (const [parameter, { minimum, maximum }] of Object.entries<Bounded>(table)) {
      if (minimum !== undefined && maximum !== undefined && minimum > maximum) {
        problems.push(`${name} declares ${what} ${parameter} with a minimum above its maximum.`);
      }
    }
  }
  if (Object.keys(outputs).length === 0) problems.push(`${name} declares no output.`);
  const units = unitsOf(declaration.type);
  for (const [output, { unit: given }] of Object.entries(outputs)) {
    const known = units.get(output);
    if (known !== undefined && known !== given) {
      problems.push(
        `${name} declares its output ${output} in "${given}", but the catalog has this value in "${known}": declare it so, and return it in any unit.`,
      );
    }
  }
  for (const [input, { from }] of Object.entries(inputs)) {
    if (from !== undefined && declaration.type !== 'coupling') {
      problems.push(`${name} measures qubits, so its input ${input} has no "from".`);
    }
  }
  if (problems.length > 0) return problems;
  const definition = definitionOf('', task);
  const resolved = resolveRunParameters(definition, []);
  return [...resolved.problems, ...runOptionProblems(definition, resolved.parameters)];
}

/** Units of the values that tasks of the catalog find for a kind of target. */
function unitsOf(type: TaskDeclaration['type']): ReadonlyMap<string, string> {
  const found = taskCatalog.filter(({ taskType }) => (taskType === 'coupling') === (type === 'coupling'));
  return new Map(
    found.flatMap(({ outputs }) => Object.entries(outputs).map(([name, output]) => [name, output.unit])),
  );
}

function mapped<In, Out>(table: Readonly<Record<string, In>>, map: (value: In) => Out): Record<string, Out> {
  return Object.fromEntries(Object.entries(table).map(([name, value]) => [name, map(value)]));
}

/** A copy with sorted keys, so that the same content gives the same text. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, each]) => [name, sorted(each)]));
}
