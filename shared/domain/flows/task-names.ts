import type { AnyNode, Program } from 'acorn';
import { simple } from 'acorn-walk';
import { unknownTask } from '../../kernel/near-names.ts';
import type { FlowProblem } from './problem-model.ts';
import { taskListArgument } from './session-rules.ts';
import { lineOf, literalText, propertyName } from './syntax-rules.ts';

/**
 * Task names that stand in the source of a `run({ tasks })` or another call with tasks, and that no task has.
 * Seen are array literals, also behind `??`, `||` and `? :`, and constants of the file; names computed at run
 * time are checked when the flow asks for the stage.
 */
export function taskNameProblems(program: Program, knownTasks: readonly string[]): FlowProblem[] {
  const constants = constantsByName(program);
  const found = new Map<AnyNode, string>();
  simple(program, {
    CallExpression(call) {
      if (call.callee.type !== 'MemberExpression') return;
      const position = taskListArgument(propertyName(call.callee.property, call.callee.computed) ?? '');
      const argument = position === undefined ? undefined : call.arguments[position];
      if (argument?.type !== 'ObjectExpression') return;
      for (const property of argument.properties) {
        if (property.type !== 'Property' || propertyName(property.key, property.computed) !== 'tasks')
          continue;
        for (const name of namesIn(property.value, constants, 0)) found.set(name.node, name.text);
      }
    },
  });
  return [...found]
    .filter(([, name]) => !knownTasks.includes(name))
    .map(([node, name]) => ({ line: lineOf(node), message: unknownTask(name, knownTasks) }));
}

/** Initial values of `const`s whose name the file declares once. */
function constantsByName(program: Program): Map<string, AnyNode | undefined> {
  const constants = new Map<string, AnyNode | undefined>();
  simple(program, {
    VariableDeclaration(declaration) {
      for (const { id, init } of declaration.declarations) {
        if (id.type !== 'Identifier') continue;
        const usable = declaration.kind === 'const' && !constants.has(id.name) && init;
        constants.set(id.name, usable || undefined);
      }
    },
  });
  return constants;
}

function namesIn(
  node: AnyNode,
  constants: Map<string, AnyNode | undefined>,
  depth: number,
): { node: AnyNode; text: string }[] {
  // A constant may name another one; the depth keeps a circle from going on for ever.
  if (depth > 10) return [];
  const inside = (part: AnyNode) => namesIn(part, constants, depth + 1);
  if (node.type === 'LogicalExpression') return [...inside(node.left), ...inside(node.right)];
  if (node.type === 'ConditionalExpression') return [...inside(node.consequent), ...inside(node.alternate)];
  if (node.type === 'Identifier') {
    const value = constants.get(node.name);
    return value === undefined ? [] : inside(value);
  }
  if (node.type !== 'ArrayExpression') return [];
  return node.elements.flatMap((element) => {
    if (element === null) return [];
    if (element.type === 'SpreadElement') return inside(element.argument);
    const named = element.type === 'ObjectExpression' ? nameProperty(element) : element;
    const text = literalText(named);
    return named === undefined || text === undefined ? [] : [{ node: named, text }];
  });
}

/** The value of `name` in `{ name: 'CheckRabi', run_parameters: … }`. */
function nameProperty(task: AnyNode & { type: 'ObjectExpression' }): AnyNode | undefined {
  for (const property of task.properties) {
    if (property.type === 'Property' && propertyName(property.key, property.computed) === 'name') {
      return property.value;
    }
  }
  return undefined;
}
