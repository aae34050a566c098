/** Maximum number of words of a query that are used. */
const QUESTION_WORDS = 16;

/** Scripts written without spaces between words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}ー]+/gu;

/** Normalizes differences that a search ignores. */
const plainOf = (text: string): string => text.normalize('NFKC').toLowerCase();

/** All substrings of a word with the given length; none if the word is shorter. */
function piecesOf(word: string, length: number): string[] {
  const characters = [...word];
  return Array.from({ length: Math.max(0, characters.length - length + 1) }, (_, start) =>
    characters.slice(start, start + length).join(''),
  );
}

/** Words of a text in lower case, without duplicates. Scripts without spaces give each pair of neighbouring characters. */
function wordsOf(text: string): Set<string> {
  const plain = plainOf(text);
  const words = new Set(plain.replace(unspaced, ' ').match(/[\p{L}\p{N}]+/gu) ?? []);
  for (const run of plain.match(unspaced) ?? []) {
    for (const pair of [...run].length === 1 ? [run] : piecesOf(run, 2)) words.add(pair);
  }
  return words;
}

/** Index entries of a text: substrings of two and three characters of its words, and words of one character. */
export function indexedPieces(text: string): string[] {
  const kept = [...wordsOf(text)].flatMap((word) =>
    [...word].length === 1 ? [word] : [...piecesOf(word, 2), ...piecesOf(word, 3)],
  );
  return [...new Set(kept)];
}

/** A word of a query, and the index entries that every text with the word has; never empty. */
export interface AskedWord {
  word: string;
  pieces: string[];
}

/** The words of a query. A text matches if it contains any of them, also within its own words. */
export function askedWords(question: string): AskedWord[] {
  return [...wordsOf(question)].slice(0, QUESTION_WORDS).map((word) => ({
    word,
    pieces: [...word].length < 3 ? [word] : [...new Set(piecesOf(word, 3))],
  }));
}

/** Number of the words that a text contains. A text with all pieces of a word does not necessarily contain the word. */
export function foundWords(asked: readonly AskedWord[], text: string): number {
  const plain = plainOf(text);
  return asked.filter(({ word }) => plain.includes(word)).length;
}
