import type { AnyNode, Program } from 'acorn';
import { simple } from 'acorn-walk';
import { unknownTask } from '../../kernel/near-names.ts';
import type { FlowProblem } from './problem-model.ts';
import { taskListArgument } from './session-rules.ts';
import { lineOf, literalText, propertyName } from './syntax-rules.ts';

/** Maximum number of unknown names reported for one flow. */
const MAX_UNKNOWN = 20;

/**
 * Problems about task names in the source of a `run({ tasks })`, or of another call with tasks, that are not in the catalog.
 * Considers array literals, also behind `??`, `||` and `? :`, and constants of the file. Names computed at run time are checked
 * when the flow requests the stage.
 */
export function taskNameProblems(program: Program, knownTasks: readonly string[]): FlowProblem[] {
  const constants = constantsByName(program);
  const lists: AnyNode[] = [];
  simple(program, {
    CallExpression(call) {
      if (call.callee.type !== 'MemberExpression') return;
      const position = taskListArgument(propertyName(call.callee.property, call.callee.computed) ?? '');
      const argument = position === undefined ? undefined : call.arguments[position];
      if (argument?.type !== 'ObjectExpression') return;
      for (const property of argument.properties) {
        if (property.type !== 'Property' || propertyName(property.key, property.computed) !== 'tasks')
          continue;
        lists.push(property.value);
      }
    },
  });
  return namesIn(lists, constants)
    .filter(({ text }) => !knownTasks.includes(text))
    .slice(0, MAX_UNKNOWN)
    .map(({ node, text }) => ({ line: lineOf(node), message: unknownTask(text, knownTasks) }));
}

/** Initial values of `const`s whose name is declared once in the file. */
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

/** The strings in task lists, in source order. Each node is visited once, even if several lists spread it. */
function namesIn(
  lists: readonly AnyNode[],
  constants: Map<string, AnyNode | undefined>,
): { node: AnyNode; text: string }[] {
  const names: { node: AnyNode; text: string }[] = [];
  const seen = new Set<AnyNode>();
  const open = [...lists];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (seen.has(node)) continue;
    seen.add(node);
    if (node.type === 'LogicalExpression') open.push(node.right, node.left);
    else if (node.type === 'ConditionalExpression') open.push(node.alternate, node.consequent);
    else if (node.type === 'Identifier') {
      const value = constants.get(node.name);
      if (value !== undefined) open.push(value);
    } else if (node.type === 'ArrayExpression') {
      for (const element of node.elements) {
        if (element?.type === 'SpreadElement') {
          open.push(element.argument);
          continue;
        }
        const named = element?.type === 'ObjectExpression' ? nameProperty(element) : element;
        const text = literalText(named);
        if (named && text !== undefined) names.push({ node: named, text });
      }
    }
  }
  return names.sort((a, b) => a.node.start - b.node.start);
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
