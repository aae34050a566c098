/**
 * Replaces each lone surrogate with U+FFFD. A lone surrogate cannot be encoded as UTF-8, so the engine and the store refuse
 * any text that contains one.
 */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\uFFFD');
}

/** The start of a text, at most `length` UTF-16 units and well-formed: a surrogate pair is never split. */
export function beginning(text: string, length: number): string {
  const first = text.slice(0, length);
  return wellFormed(first.length < text.length ? first.replace(/\p{Surrogate}$/u, '') : first);
}

/**
 * Parses a list that a form sends as text, `2,5.69,41` or `["a"]`: items become numbers if possible, otherwise strings. Any
 * value that is not a string with a comma or in brackets is returned unchanged.
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

/** Whether a text contains a lone surrogate. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}

/** Whether a text contains control characters, such as NUL or a line break. Names must not. */
export function hasControlCharacters(text: string): boolean {
  return /\p{Control}/u.test(text);
}

/** Removes lone surrogates from JSON written by `JSON.stringify`, which escapes lone surrogates but never whole pairs. */
export function wellFormedJson(json: string): string {
  return json.replace(/\\(?:\\|u(d[89a-f][0-9a-f]{2}))/g, (found, half) =>
    half === undefined ? found : '\\ufffd',
  );
}

/** Special characters of a regular expression. */
const PATTERN_SIGNS = /[\\^$.|?*+()[\]{}]/g;
/** Must also be escaped, because patterns are sent as NUL-terminated text. */
const NUL = /\0/g;

/**
 * A pattern for the store (PCRE2) that matches the text literally. It must be sent as `$regex`, not as a `RegExp`, because
 * JavaScript writes line separators in a `RegExp` as \\u2028, which PCRE2 rejects.
 */
export function literalPattern(text: string): string {
  return text.replace(PATTERN_SIGNS, '\\$&').replace(NUL, '\\x00');
}
