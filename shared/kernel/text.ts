/**
 * The text with U+FFFD in place of each half of a surrogate pair. A half cannot be written as UTF-8, so the engine and
 * the store refuse whatever holds one.
 */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\uFFFD');
}

/** The first characters of a text, of so many UTF-16 units at most, well-formed: one that would be halved is left away. */
export function beginning(text: string, length: number): string {
  const first = text.slice(0, length);
  return wellFormed(first.length < text.length ? first.replace(/\p{Surrogate}$/u, '') : first);
}

/**
 * A list that a form sends as text, `2,5.69,41` or `["a"]`: numbers where they are, else texts. What is not a text with a
 * comma or in brackets stays what it is.
 */
export function listIfText(sent: unknown): unknown {
  if (typeof sent !== 'string') return sent;
  const text = sent.trim();
  const bracketed = /^\[(.*)\]$/s.exec(text) ?? /^\((.*)\)$/s.exec(text);
  const inner = bracketed?.[1] ?? text;
  if (!bracketed && !inner.includes(',')) return sent;
  if (inner.trim() === '') return [];
  return inner.split(',').map((part) => {
    const item = part.trim();
    const quoted = /^(["'])(.*)\1$/s.exec(item)?.[2];
    if (quoted !== undefined) return quoted;
    return item !== '' && Number.isFinite(Number(item)) ? Number(item) : item;
  });
}

/** Whether a text holds half a surrogate pair. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

/** Whether a text holds control characters, such as NUL or a line break: no name does. */
export function hasControlCharacters(text: string): boolean {
  return /\p{Control}/u.test(text);
}

/** JSON as `JSON.stringify` writes it, which escapes halves of surrogate pairs and nothing else of theirs, without them. */
export function wellFormedJson(json: string): string {
  return json.replace(/\\(?:\\|u(d[89a-f][0-9a-f]{2}))/g, (found, half) =>
    half === undefined ? found : '\\ufffd',
  );
}

/** Characters with a meaning in a pattern. */
const PATTERN_SIGNS = /[\\^$.|?*+()[\]{}]/g;
/** The only other one that cannot stand for itself: patterns travel as text that ends with it. */
const NUL = /\0/g;

/**
 * A pattern of the store (PCRE2) that matches the text as it is. It must be sent as `$regex`, not as a `RegExp`: JavaScript
 * writes line separators in it as \\u2028, which PCRE2 refuses.
 */
export function literalPattern(text: string): string {
  return text.replace(PATTERN_SIGNS, '\\$&').replace(NUL, '\\x00');
}
