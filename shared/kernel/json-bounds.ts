import { hasControlCharacters, isWellFormed } from './text.ts';

/** How large JSON from outside may be before anything else looks at it. */
export interface JsonBounds {
  /** Lists and objects within each other. */
  levels: number;
  /** Values of all kinds, lists and objects among them. */
  values: number;
  /** Characters of a key. */
  keyCharacters: number;
}

export interface JsonProblem {
  kind: 'levels' | 'values' | 'number' | 'key' | 'text';
  /** Where it is, from the outside in; empty where the whole is at fault. */
  path: (string | number)[];
  /** What is wrong, as it goes on after "the value" or "Input". */
  message: string;
}

interface OpenContainer {
  container: object;
  /** Null for a list, whose entries are walked by their index. */
  keys: string[] | null;
  next: number;
}

/**
 * What makes a parsed JSON value unfit for schemas, the engine and the store; null when nothing does. Walks without
 * recursion and without copying: what is looked at may be hostile.
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
