/** Words of a question that count. */
const QUESTION_WORDS = 16;

/** Scripts that are written without spaces between words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}ー]+/gu;

/** A text without differences that a search does not make. */
const plainOf = (text: string): string => text.normalize('NFKC').toLowerCase();

/** Every piece of a word of so many characters; a shorter word has none. */
function piecesOf(word: string, length: number): string[] {
  const characters = [...word];
  return Array.from({ length: Math.max(0, characters.length - length + 1) }, (_, start) =>
    characters.slice(start, start + length).join(''),
  );
}

/** Words of a text in small letters, each once; of scripts without spaces each pair of neighbouring characters. */
function wordsOf(text: string): Set<string> {
  const plain = plainOf(text);
  const words = new Set(plain.replace(unspaced, ' ').match(/[\p{L}\p{N}]+/gu) ?? []);
  for (const run of plain.match(unspaced) ?? []) {
    for (const pair of [...run].length === 1 ? [run] : piecesOf(run, 2)) words.add(pair);
  }
  return words;
}

/** What an index keeps of a text: pieces of two and three characters of its words, and words of one character. */
export function indexedPieces(text: string): string[] {
  const kept = [...wordsOf(text)].flatMap((word) =>
    [...word].length === 1 ? [word] : [...piecesOf(word, 2), ...piecesOf(word, 3)],
  );
  return [...new Set(kept)];
}

/** A word of a question, and what the index of every text with it has; never empty. */
export interface AskedWord {
  word: string;
  pieces: string[];
}

/** The words that a question asks for; a text is found by any of them, also in the middle of its own words. */
export function askedWords(question: string): AskedWord[] {
  return [...wordsOf(question)].slice(0, QUESTION_WORDS).map((word) => ({
    word,
    pieces: [...word].length < 3 ? [word] : [...new Set(piecesOf(word, 3))],
  }));
}

/** How many of the words a text has. Words that share all pieces with a text need not be in it. */
export function foundWords(asked: readonly AskedWord[], text: string): number {
  const plain = plainOf(text);
  return asked.filter(({ word }) => plain.includes(word)).length;
}
