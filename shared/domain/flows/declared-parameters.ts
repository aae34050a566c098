import type { AnyNode, ObjectExpression, Program } from 'acorn';
import { nearestName } from '../../kernel/near-names.ts';
import type { JsonValue } from './model.ts';
import {
  type ParameterDeclarations,
  parameterDeclaration,
  parameterDeclarations,
} from './parameter-model.ts';
import { valueProblems } from './parameter-rules.ts';
import type { FlowProblem } from './problem-model.ts';
import { FLOW_LIMITS } from './rules.ts';
import { lineOf, literalText, propertyName } from './syntax-rules.ts';

/** Name of the export that declares a flow's parameters. */
export const PARAMETERS_EXPORT = 'parameters';

/**
 * The parameters that a flow declares as `export const parameters = { … }`, read without running code: it may contain literals
 * only. Null if the flow declares none.
 */
export function declaredParameters(
  program: Program,
  knownTasks: readonly string[],
): { declarations: ParameterDeclarations | null; problems: FlowProblem[] } {
  const node = exportedParameters(program);
  if (node === undefined) return { declarations: null, problems: [] };
  if (node?.type !== 'ObjectExpression') {
    const message = 'parameters must be written out: export const parameters = { … }';
    return { declarations: null, problems: [{ line: node ? lineOf(node) : 1, message }] };
  }
  if (node.properties.length > FLOW_LIMITS.parameters) {
    const message = `a flow declares at most ${FLOW_LIMITS.parameters} parameters, this one ${node.properties.length}`;
    return { declarations: null, problems: [{ line: lineOf(node), message }] };
  }
  const literal = literalOf(node);
  if ('computed' in literal) {
    const message = 'parameters must be written out: values that are computed cannot be read before a run';
    return { declarations: null, problems: [{ line: lineOf(literal.computed), message }] };
  }
  const read = parameterDeclarations.safeParse(literal.value);
  if (!read.success) {
    const problems = read.error.issues.map(({ path, message, ...issue }): FlowProblem => {
      const [name, ...rest] = path.map(String);
      const where = [`parameter "${name}"`, ...rest].join(', ');
      const why = issue.code === 'unrecognized_keys' ? unknownKeys(issue.keys) : message;
      return { line: lineOfParameter(node, name), message: `${where}: ${why}` };
    });
    return { declarations: null, problems };
  }
  const problems = Object.entries(read.data).flatMap(([name, declaration]) => {
    const { default: initial, required_unless: other, alias_of: alias } = declaration;
    const wrong = initial === undefined ? [] : valueProblems(declaration, initial, knownTasks);
    const unknown = other !== undefined && !Object.hasOwn(read.data, other) ? [other] : [];
    return [
      ...wrong.map((why) => `parameter "${name}": its default ${why}`),
      ...unknown.map(
        (missing) => `parameter "${name}": required_unless names "${missing}", which is not declared`,
      ),
      ...aliasProblems(read.data, alias).map((why) => `parameter "${name}": alias_of ${why}`),
    ].map((message) => ({ line: lineOfParameter(node, name), message }));
  });
  return { declarations: read.data, problems };
}

function aliasProblems(declarations: ParameterDeclarations, alias: string | undefined): string[] {
  if (alias === undefined) return [];
  if (!Object.hasOwn(declarations, alias)) return [`names "${alias}", which is not declared`];
  return declarations[alias]?.alias_of === undefined ? [] : [`names "${alias}", which is an alias itself`];
}

/** The expression exported as `parameters`; undefined if it is not exported, null if it cannot be determined. */
function exportedParameters(program: Program): AnyNode | null | undefined {
  for (const statement of program.body) {
    if (statement.type !== 'ExportNamedDeclaration' || statement.declaration?.type !== 'VariableDeclaration')
      continue;
    for (const { id, init } of statement.declaration.declarations) {
      if (id.type === 'Identifier' && id.name === PARAMETERS_EXPORT) return init ?? null;
    }
  }
  return undefined;
}

/** The value of an expression of literals, or its first part that is not a literal. */
function literalOf(node: AnyNode): { value: JsonValue } | { computed: AnyNode } {
  const text = literalText(node);
  if (text !== undefined) return { value: text };
  if (node.type === 'Literal') {
    const { value } = node;
    return value === null || typeof value === 'number' || typeof value === 'boolean'
      ? { value }
      : { computed: node };
  }
  if (node.type === 'UnaryExpression' && node.operator === '-') {
    const inner = literalOf(node.argument);
    return 'value' in inner && typeof inner.value === 'number' ? { value: -inner.value } : { computed: node };
  }
  if (node.type === 'ArrayExpression') {
    const values: JsonValue[] = [];
    for (const element of node.elements) {
      const item = element === null ? { computed: node } : literalOf(element);
      if ('computed' in item) return item;
      values.push(item.value);
    }
    return { value: values };
  }
  if (node.type !== 'ObjectExpression') return { computed: node };
  const entries: [string, JsonValue][] = [];
  for (const property of node.properties) {
    const name = property.type === 'Property' ? propertyName(property.key, property.computed) : undefined;
    if (property.type !== 'Property' || name === undefined) return { computed: property };
    const value = literalOf(property.value);
    if ('computed' in value) return value;
    entries.push([name, value.value]);
  }
  return { value: Object.fromEntries(entries) };
}

function lineOfParameter(declaration: ObjectExpression, name: string | undefined): number {
  const property = declaration.properties.find(
    (each) => each.type === 'Property' && propertyName(each.key, each.computed) === name,
  );
  return lineOf(property ?? declaration);
}

function unknownKeys(keys: readonly string[]): string {
  const known = Object.keys(parameterDeclaration.shape);
  return keys
    .map((key) => {
      const nearest = nearestName(key, known);
      return `unknown key "${key}"; ${nearest === undefined ? `known are ${known.join(', ')}` : `did you mean "${nearest}"?`}`;
    })
    .join(', ');
}
