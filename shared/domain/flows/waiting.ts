import type { AnyNode, Program } from 'acorn';
import { ancestor, simple } from 'acorn-walk';
import type { FlowProblem } from './problem-model.ts';
import { waitsForAnswer } from './session-rules.ts';
import { isFunction, lineOf, propertyName } from './syntax-rules.ts';

/** Await is not possible at top level: the session is only available inside the function. */
export function topLevelAwaitProblems(program: Program): FlowProblem[] {
  const problems: FlowProblem[] = [];
  const report = (node: AnyNode, ancestors: AnyNode[]) => {
    if (ancestors.some((parent) => isFunction(parent))) return;
    problems.push({ line: lineOf(node), message: 'await belongs inside the flow function' });
  };
  ancestor(program, {
    AwaitExpression: (node, _state, ancestors) => report(node, ancestors),
    ForOfStatement: (node, _state, ancestors) => {
      if (node.await) report(node, ancestors);
    },
  });
  return problems;
}

/**
 * Calls used as statements without await although they take time: `session.run(…)`, `session.sleep(…)`, async functions of the
 * file and `forEach` with one. Cases missed here are detected at run time.
 */
export function missingAwaitProblems(program: Program): FlowProblem[] {
  const sessions = new Set(['session']);
  const asyncFunctions = new Set<string>();
  simple(program, {
    FunctionDeclaration(node) {
      if (node.async && !node.generator && node.id !== null) asyncFunctions.add(node.id.name);
    },
    VariableDeclarator({ id, init }) {
      if (isFunction(init) && init.async && !init.generator && id.type === 'Identifier')
        asyncFunctions.add(id.name);
    },
    ExportNamedDeclaration({ declaration }) {
      const parameter = declaration?.type === 'FunctionDeclaration' ? declaration.params[0] : undefined;
      if (parameter?.type === 'Identifier') sessions.add(parameter.name);
    },
  });

  const problems: FlowProblem[] = [];
  simple(program, {
    ExpressionStatement({ expression }) {
      if (expression.type !== 'CallExpression') return;
      const { callee } = expression;
      if (callee.type === 'Identifier' && asyncFunctions.has(callee.name)) {
        problems.push(missingAwait(expression, callee.name));
      } else if (isForEach(callee) && expression.arguments.some((one) => isFunction(one) && one.async)) {
        const message = 'forEach does not wait for an async function; write for (const … of …) with await';
        problems.push({ line: lineOf(expression), message });
      } else if (
        callee.type === 'MemberExpression' &&
        callee.object.type === 'Identifier' &&
        sessions.has(callee.object.name) &&
        callee.property.type === 'Identifier' &&
        waitsForAnswer(callee.property.name)
      ) {
        problems.push(missingAwait(expression, `${callee.object.name}.${callee.property.name}`));
      }
    },
  });
  return problems;
}

function isForEach(callee: AnyNode): boolean {
  return callee.type === 'MemberExpression' && propertyName(callee.property, callee.computed) === 'forEach';
}

function missingAwait(node: AnyNode, name: string): FlowProblem {
  return { line: lineOf(node), message: `await is missing; write await ${name}(…)` };
}
