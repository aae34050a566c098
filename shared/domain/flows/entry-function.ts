import type { Program } from 'acorn';
import { PARAMETERS_EXPORT } from './declared-parameters.ts';
import type { FlowProblem } from './problem-model.ts';
import { type AnyFunction, isFunction, lineOf } from './syntax-rules.ts';

interface NamedFunction {
  line: number;
  body: AnyFunction | undefined;
}

/**
 * Checks that a flow exports one async function, as `export async function name`, `export const name = async …` or `export { name
 * }`, and otherwise at most the declaration of its parameters. Exported types are already removed.
 */
export function entryFunctionProblems(program: Program, functionName: string): FlowProblem[] {
  const problems: FlowProblem[] = [];
  const declared = new Map<string, NamedFunction>();
  const exported = new Map<string, NamedFunction>();

  for (const statement of program.body) {
    if (statement.type === 'ExportDefaultDeclaration') {
      problems.push({
        line: lineOf(statement),
        message: `a flow exports its function by name: export async function ${functionName}(session)`,
      });
      continue;
    }
    const isExport = statement.type === 'ExportNamedDeclaration';
    const declaration = isExport ? statement.declaration : statement;
    const found = new Map<string, NamedFunction>();
    if (declaration?.type === 'FunctionDeclaration' || declaration?.type === 'ClassDeclaration') {
      const body = declaration.type === 'FunctionDeclaration' ? declaration : undefined;
      if (declaration.id !== null) found.set(declaration.id.name, { line: lineOf(declaration), body });
    } else if (declaration?.type === 'VariableDeclaration') {
      for (const { id, init } of declaration.declarations) {
        const name = id.type === 'Identifier' ? id.name : 'a pattern';
        found.set(name, { line: lineOf(id), body: isFunction(init) ? init : undefined });
      }
    }
    for (const [name, value] of found) (isExport ? exported : declared).set(name, value);
  }
  for (const statement of program.body) {
    if (statement.type !== 'ExportNamedDeclaration' || statement.source) continue;
    for (const { local, exported: target } of statement.specifiers) {
      const name = target.type === 'Identifier' ? target.name : String(target.value);
      const source = local.type === 'Identifier' ? declared.get(local.name) : undefined;
      exported.set(name, source ?? { line: lineOf(statement), body: undefined });
    }
  }

  const entry = exported.get(functionName);
  for (const name of [functionName, PARAMETERS_EXPORT]) exported.delete(name);
  if (entry === undefined) {
    const hidden = declared.get(functionName);
    problems.push({
      line: hidden?.line ?? 1,
      message:
        hidden === undefined
          ? `the exported async function "${functionName}" is missing; write export async function ${functionName}(session)`
          : `"${functionName}" is not exported; write export async function ${functionName}(session)`,
    });
  } else if (entry.body === undefined) {
    problems.push({ line: entry.line, message: `"${functionName}" is exported but is not a function` });
  } else if (!entry.body.async) {
    problems.push({
      line: entry.line,
      message: `"${functionName}" must be async; write export async function ${functionName}(session)`,
    });
  } else if (entry.body.generator) {
    problems.push({ line: entry.line, message: `"${functionName}" must not be a generator (remove the *)` });
  }
  for (const [name, other] of exported) {
    problems.push({
      line: other.line,
      message: `a flow exports only its own function "${functionName}"; remove export from "${name}"`,
    });
  }
  return problems;
}
