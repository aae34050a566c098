// The files of this folder run inside the isolate, before the flow, bundled with their imports, which have no side effects.
// They exchange only JSON texts with the host and hold no host objects. If the flow modifies built-in objects, it harms only
// itself, because the host validates each command again.

/** Saved before the flow can replace them. */
export const { stringify, parse } = JSON;
const { freeze } = Object;

/** Serialises a value that leaves the isolate, with limits for its size in bytes and its nesting. */
export function toJson(value: unknown, what: string, limit: number, levels: number): string {
  let text: string | undefined;
  try {
    text = stringify(value === undefined ? null : value);
  } catch (error) {
    throw new TypeError(`${what} cannot be written as JSON: ${describe(error)}`);
  }
  if (text === undefined) throw new TypeError(`${what} cannot be written as JSON: it is a ${typeof value}`);
  // A character has at least one byte, so a huge text is refused without counting its bytes.
  const size = text.length > limit ? text.length : bytes(text);
  if (size > limit) throw new RangeError(`${what} has ${size} bytes as JSON; ${limit} are allowed`);
  if (isDeeper(text, levels)) {
    throw new RangeError(`${what} has more than ${levels} lists or objects within each other`);
  }
  return text;
}

/** Measures nesting in the JSON text, because a recursive walk through the value could overflow the stack. */
function isDeeper(json: string, levels: number): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (quoted) {
      if (character === '\\') at += 1;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === '[' || character === '{') {
      depth += 1;
      if (depth > levels) return true;
    } else if (character === ']' || character === '}') depth -= 1;
  }
  return false;
}

function bytes(text: string): number {
  let count = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    count += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return count;
}

export function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const cut = text.slice(0, limit - 1);
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
}

/** A value for a message. */
export function show(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Error) return describe(value);
  if (typeof value === 'function') return `function ${value.name}`;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'symbol')
    return String(value);
  try {
    return stringify(value) ?? String(value);
  } catch {
    return '[a value that is no JSON]';
  }
}

/** `TypeError: not a function`; for a plain Error, only the message. */
export function describe(error: unknown): string {
  if (!(error instanceof Error)) return show(error);
  const { name, message } = error;
  return name === 'Error' && message !== '' ? String(message) : `${name}: ${message}`;
}

export function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const part of Object.values(value)) deepFreeze(part);
  freeze(value);
}
