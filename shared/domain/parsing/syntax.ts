import { type CST, type Document, isScalar, Parser, parseAllDocuments, type Scalar, visit } from 'yaml';
import { messageOf } from '../../kernel/errors.ts';
import type { TextKind } from './pool.ts';

/** Levels of YAML; what people write has ten. */
const MAX_DEPTH = 100;
const TOO_DEEP = 'it is nested too deeply';

/**
 * What is wrong with a text that should be YAML (one document or several, or none) or JSON, as the parser says it with
 * line and column; null for a right one. Belongs in a thread with limits: large texts can be slow to check.
 */
export function syntaxProblem(text: string, kind: TextKind): string | null {
  try {
    return kind === 'json' ? jsonProblem(text) : yamlProblem(text);
  } catch (thrown) {
    return thrown instanceof RangeError ? TOO_DEEP : firstLine(messageOf(thrown));
  }
}

function jsonProblem(text: string): null {
  JSON.parse(text);
  return null;
}

function yamlProblem(text: string): string | null {
  // Documents are built by functions that call themselves for each level. Deep ones not only overflow the stack: a
  // regular expression that V8 compiles near its end aborts the process, other threads and all.
  if (isDeeperThan(MAX_DEPTH, [...new Parser().parse(text)])) return TOO_DEEP;
  // The library compares each key of a map with all others, which takes minutes where there are many.
  const documents = parseAllDocuments(text, { uniqueKeys: false });
  if ('empty' in documents) return null;
  const [first] = documents.flatMap(({ errors }) => errors);
  return first ? firstLine(first.message) : repeatedKey(documents, text);
}

/** Where a map has a key for the second time. */
function repeatedKey(documents: readonly Document.Parsed[], text: string): string | null {
  let repeated: Scalar | null = null;
  for (const document of documents) {
    visit(document, {
      Map(_, map) {
        const keys = new Set<unknown>();
        for (const { key } of map.items) {
          if (!isScalar(key)) continue;
          if (keys.has(key.value)) repeated ??= key;
          keys.add(key.value);
        }
        return repeated ? visit.BREAK : undefined;
      },
    });
  }
  return repeated && `a key is repeated at line ${lineOf(repeated, text)}`;
}

function lineOf({ range }: Scalar, text: string): number {
  return text.slice(0, range?.[0] ?? 0).split('\n').length;
}

/** Walks through the tokens level by level, without calling itself. */
function isDeeperThan(limit: number, tokens: readonly CST.Token[]): boolean {
  let level = tokens;
  for (let depth = 0; depth <= limit; depth++) {
    level = level.flatMap(childrenOf);
    if (level.length === 0) return false;
  }
  return true;
}

function childrenOf(token: CST.Token): CST.Token[] {
  if (token.type === 'document') return token.value ? [token.value] : [];
  if (!('items' in token)) return [];
  return token.items.flatMap(({ key, value }) =>
    [key, value].filter((child) => child !== undefined && child !== null),
  );
}

/** Parsers show the lines around a mistake below their sentence. */
function firstLine(message: string): string {
  return (message.split('\n', 1)[0] ?? '').replace(/:$/, '');
}
