import type { Program } from 'acorn';
import { simple } from 'acorn-walk';
import type { FlowProblem } from './problem-model.ts';
import { lineOf } from './syntax-rules.ts';

/** A flow receives everything it needs through its session. Only types may be imported, and those are already removed. */
export function noImportProblems(program: Program): FlowProblem[] {
  const problems: FlowProblem[] = [];
  simple(program, {
    ImportDeclaration(node) {
      const from = String(node.source.value);
      const message =
        from === 'calibron'
          ? "calibron has types only; write import type { … } from 'calibron'"
          : `a flow cannot import "${from}"; only import type is possible, all else comes with the session`;
      problems.push({ line: lineOf(node), message });
    },
    ImportExpression(node) {
      problems.push({ line: lineOf(node), message: 'a flow cannot import at run time' });
    },
    ExportAllDeclaration(node) {
      problems.push({ line: lineOf(node), message: 'a flow cannot export from another module' });
    },
    ExportNamedDeclaration(node) {
      if (!node.source) return;
      problems.push({ line: lineOf(node), message: 'a flow cannot export from another module' });
    },
  });
  return problems;
}
