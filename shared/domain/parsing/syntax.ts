import {
  type CST,
  type Document,
  isScalar,
  LineCounter,
  Parser,
  parseAllDocuments,
  type Scalar,
  visit,
} from 'yaml';
import { messageOf } from '../../kernel/errors.ts';
import type { TextKind } from './pool.ts';

/** Maximum nesting of YAML; usual files have up to ten levels. */
const MAX_DEPTH = 100;
const TOO_DEEP = 'it is nested too deeply';

/**
 * The syntax problem of a text that should be YAML (any number of documents) or JSON, as the parser reports it with line
 * and column; null if it is valid. Run it in a thread with limits, because large texts can be slow to check.
 */
export function syntaxProblem(text: string, kind: TextKind): string | null {
  try {
    return kind === 'json' ? jsonProblem(text) : yamlProblem(text);
  } catch (thrown) {
    return thrown instanceof RangeError ? TOO_DEEP : firstLine(messageOf(thrown));
  }
}

function jsonProblem(text: string): string | null {
  try {
    JSON.parse(text);
    return null;
  } catch (thrown) {
    // V8 quotes the text around a mistake with its line breaks, and reports a character offset.
    return messageOf(thrown)
      .replaceAll(/\s+/g, ' ')
      .replace(/ at position (\d+).*$/, (_, position) => ` at ${placeOf(Number(position), text)}`);
  }
}

/** Characters that YAML never contains unescaped, not even in quotes (https://yaml.org/spec/1.2.2/#51-character-set). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL_CHARACTER = /[\0-\x08\x0b\x0c\x0e-\x1f]/;

function yamlProblem(text: string): string | null {
  const control = CONTROL_CHARACTER.exec(text);
  if (control) return `it holds a control character at ${placeOf(control.index, text)}`;
  // The library builds documents recursively. Deep nesting not only overflows the stack: if V8 compiles a regular expression
  // near the end of the stack, it aborts the whole process, including other threads.
  const lines = new LineCounter();
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `at line ${line}, column ${col}`;
  };
  const tokens = [...new Parser(lines.addNewLine).parse(text)];
  if (isDeeperThan(MAX_DEPTH, tokens)) return TOO_DEEP;
  // Reported early, because a text may have as many mistakes as characters, and documents would be built with all of them.
  const misplaced = tokens.find((token) => token.type === 'error');
  if (misplaced) return `${firstLine(misplaced.message)} ${at(misplaced.offset)}`;
  // The library compares each key of a map with all others, and quotes the text for each mistake. Either can take minutes.
  const documents = parseAllDocuments(text, { uniqueKeys: false, prettyErrors: false });
  if ('empty' in documents) return null;
  const [first] = documents.flatMap(({ errors }) => errors);
  if (!first) return repeatedKey(documents, text);
  return `${firstLine(first.message)} ${at(first.pos[0])}`;
}

/** The position of a map's duplicate key. */
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
  return repeated && `a key is repeated at ${placeOf(startOf(repeated), text)}`;
}

const startOf = ({ range }: Scalar): number => range?.[0] ?? 0;

function placeOf(position: number, text: string): string {
  const lines = text.slice(0, position).split('\n');
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}

/** Walks through the tokens iteratively, level by level. */
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

/** Parsers quote the lines around a mistake below their message. */
function firstLine(message: string): string {
  return (message.split('\n', 1)[0] ?? '').replace(/:$/, '');
}
