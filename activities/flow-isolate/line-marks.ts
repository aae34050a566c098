import { type AnyNode, type Program, parse } from 'acorn';
import { simple } from 'acorn-walk';

/** Globals of the isolate: the line of the statement under way, and a watch for promises left alone. */
const LINE = 'calibron$line';
const ALONE = 'calibron$alone';

/**
 * Puts `calibron$line[0]=12;` before every statement, without moving any line. QuickJS knows the line of a
 * thrown Error, but not that of a loop which it interrupts, of an await that never ends, or of `throw 'text'`.
 * A call that is a statement of its own becomes `calibron$alone(call())`, which tells of a promise whose
 * failure nobody would hear. Code that does not parse comes back as it is: QuickJS will name its line.
 */
export function markLines(javascript: string): string {
  let program: Program;
  try {
    program = parse(javascript, { ecmaVersion: 'latest', sourceType: 'module', locations: true });
  } catch {
    return javascript;
  }

  const insertions: { at: number; text: string }[] = [];
  const mark = (node: AnyNode) => `${LINE}[0]=${node.loc?.start.line ?? 0};`;
  const statements = (list: readonly AnyNode[]) => {
    for (const node of list) {
      if (isExecuted(node)) insertions.push({ at: node.start, text: mark(node) });
    }
  };
  const single = (node: AnyNode | null | undefined) => {
    if (!node || node.type === 'BlockStatement') return;
    insertions.push({ at: node.start, text: `{${mark(node)}` }, { at: node.end, text: '}' });
  };
  simple(program, {
    ExpressionStatement({ expression }) {
      // Dynamic import and super(…) are no calls of a function.
      if (expression.type !== 'CallExpression' || expression.callee.type === 'Super') return;
      insertions.push({ at: expression.start, text: `${ALONE}(` }, { at: expression.end, text: ')' });
    },
    Program: (node) => statements(node.body),
    BlockStatement: (node) => statements(node.body),
    StaticBlock: (node) => statements(node.body),
    SwitchCase: (node) => statements(node.consequent),
    IfStatement(node) {
      single(node.consequent);
      if (node.alternate?.type !== 'IfStatement') single(node.alternate);
    },
    ForStatement: (node) => single(node.body),
    ForInStatement: (node) => single(node.body),
    ForOfStatement: (node) => single(node.body),
    WhileStatement: (node) => single(node.body),
    DoWhileStatement: (node) => single(node.body),
  });

  insertions.sort((a, b) => a.at - b.at || rank(a.text) - rank(b.text));
  let marked = '';
  let done = 0;
  for (const { at, text } of insertions) {
    marked += javascript.slice(done, at) + text;
    done = at;
  }
  return marked + javascript.slice(done);
}

/** Order of insertions at one place: ends before beginnings, and a call's bracket next to the call. */
function rank(text: string): number {
  if (text === ')') return 0;
  if (text === '}') return 1;
  return text === `${ALONE}(` ? 3 : 2;
}

/** Declarations of functions, imports and exports of functions do nothing where they stand. */
function isExecuted(node: AnyNode): boolean {
  if (node.type === 'FunctionDeclaration' || node.type === 'ImportDeclaration') return false;
  if (node.type === 'ExportNamedDeclaration') return node.declaration?.type === 'VariableDeclaration';
  return node.type !== 'EmptyStatement' && node.type !== 'ExportAllDeclaration';
}
