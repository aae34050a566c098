import { hasControlCharacters, isWellFormed } from './text.ts';

/** Limits for JSON from outside, checked before any other processing. */
export interface JsonBounds {
  /** Maximum nesting depth of lists and objects. */
  levels: number;
  /** Maximum number of values, including lists and objects. */
  values: number;
  /** Maximum length of a key in characters. */
  keyCharacters: number;
}

export interface JsonProblem {
  kind: 'levels' | 'values' | 'number' | 'key' | 'text';
  /** Path to the problem, starting at the root; empty if it concerns the whole value. */
  path: (string | number)[];
  /** Description that continues a sentence after "the value" or "Input". */
  message: string;
}

interface OpenContainer {
  container: object;
  /** Null for a list, whose entries are visited by index. */
  keys: string[] | null;
  next: number;
}

/**
 * Finds what makes a parsed JSON value unusable for schemas, engine and store. It uses neither recursion nor copies,
 * because the value may be hostile.
 * @returns null if there is no problem
 */
export function jsonProblem(root: unknown, bounds: JsonBounds): JsonProblem | null {
  const open: OpenContainer[] = [];
  let values = 0;

  const path = () => open.map(({ keys, next }) => (keys ? (keys[next - 1] ?? '') : next - 1));

  function problemAt(value: unknown): JsonProblem | null {
    values += 1;
    if (values > bounds.values) {
      return { kind: 'values', path: [], message: `should have at most ${bounds.values} values` };
    }
    if (typeof value === 'number' && !Number.isFinite(value)) {
      return { kind: 'number', path: path(), message: 'should be a finite number' };
    }
    if (typeof value === 'string' && !isWellFormed(value)) {
      return { kind: 'text', path: path(), message: 'should hold no half of a surrogate pair' };
    }
    if (typeof value !== 'object' || value === null) return null;
    if (open.length >= bounds.levels) {
      return { kind: 'levels', path: [], message: `should have at most ${bounds.levels} levels` };
    }
    const keys = Array.isArray(value) ? null : Object.keys(value);
    for (const key of keys ?? []) {
      const message = keyProblem(key, bounds);
      if (message !== null) return { kind: 'key', path: path(), message };
    }
    open.push({ container: value, keys, next: 0 });
    return null;
  }

  let problem = problemAt(root);
  while (problem === null) {
    const last = open.at(-1);
    if (!last) return null;
    const { container, keys } = last;
    const key = keys ? keys[last.next] : last.next;
    const ended = Array.isArray(container) ? last.next >= container.length : key === undefined;
    if (ended || key === undefined) {
      open.pop();
      continue;
    }
    last.next += 1;
    problem = problemAt(Reflect.get(container, key));
  }
  return problem;
}

function keyProblem(key: string, { keyCharacters }: JsonBounds): string | null {
  if (key.length > keyCharacters) return `should have keys of at most ${keyCharacters} characters`;
  if (hasControlCharacters(key)) return 'should have no control characters in its keys';
  return isWellFormed(key) ? null : 'should have no half of a surrogate pair in its keys';
}
