import { type AnyNode, type Program, parse } from 'acorn';
import { simple } from 'acorn-walk';
import { lineOf } from '../../shared/domain/flows/syntax-rules.ts';

/** Globals of the isolate: the line of the current statement, and a function that watches promises that are not awaited. */
const LINE = 'calibron$line';
const BARE_CALL = 'calibron$bareCall';

/** Order of insertions at the same position: ends before starts, and a call's bracket next to the call. */
const Rank = { callEnd: 0, blockEnd: 1, statement: 2, call: 3 } as const;
type Rank = (typeof Rank)[keyof typeof Rank];

interface Insertion {
  at: number;
  rank: Rank;
  text: string;
}

/**
 * Puts `calibron$line[0]=12;` before every statement, without moving any line. QuickJS knows the line of a
 * thrown Error, but not that of a loop which it interrupts, of an await that never ends, or of `throw 'text'`.
 * A call whose result is not used becomes `calibron$bareCall(call(),12)`, which reports a rejected promise that would
 * otherwise go unnoticed. Code that does not parse is returned unchanged: QuickJS will report the line.
 */
export function markLines(javascript: string): string {
  let program: Program;
  try {
    program = parse(javascript, { ecmaVersion: 'latest', sourceType: 'module', locations: true });
  } catch {
    return javascript;
  }

  const insertions: Insertion[] = [];
  const insert = (at: number, rank: Rank, text: string) => insertions.push({ at, rank, text });
  const mark = (node: AnyNode) => `${LINE}[0]=${lineOf(node)};`;
  const statements = (list: readonly AnyNode[]) => {
    for (const node of list) {
      if (isExecuted(node)) insert(node.start, Rank.statement, mark(node));
    }
  };
  const single = (node: AnyNode | null | undefined) => {
    if (!node || node.type === 'BlockStatement') return;
    insert(node.start, Rank.statement, `{${mark(node)}`);
    insert(node.end, Rank.blockEnd, '}');
  };
  simple(program, {
    ExpressionStatement({ expression }) {
      if (expression.type !== 'CallExpression' || expression.callee.type === 'Super') return;
      insert(expression.start, Rank.call, `${BARE_CALL}(`);
      insert(expression.end, Rank.callEnd, `,${lineOf(expression)})`);
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

  insertions.sort((a, b) => a.at - b.at || a.rank - b.rank);
  let marked = '';
  let done = 0;
  for (const { at, text } of insertions) {
    marked += javascript.slice(done, at) + text;
    done = at;
  }
  return marked + javascript.slice(done);
}

/** False for imports, function declarations and their exports, which are not executed as statements. */
function isExecuted(node: AnyNode): boolean {
  if (node.type === 'FunctionDeclaration' || node.type === 'ImportDeclaration') return false;
  if (node.type === 'ExportNamedDeclaration') return node.declaration?.type === 'VariableDeclaration';
  return node.type !== 'EmptyStatement' && node.type !== 'ExportAllDeclaration';
}
