/** Characters of the longest beginning of a word that is found. */
const BEGINNING = 12;
/** Words of a question that count. */
const QUESTION_WORDS = 16;

/** Scripts that are written without spaces between words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}ー]+/gu;

/** Words of a text in small letters, each once; of scripts without spaces each pair of neighbouring characters. */
function wordsOf(text: string): Set<string> {
  const plain = text.normalize('NFKC').toLowerCase();
  const words = new Set(plain.replace(unspaced, ' ').match(/[\p{L}\p{N}]+/gu) ?? []);
  for (const run of plain.match(unspaced) ?? []) {
    const characters = [...run];
    if (characters.length === 1) words.add(run);
    for (let index = 0; index + 1 < characters.length; index += 1) {
      words.add(`${characters[index]}${characters[index + 1]}`);
    }
  }
  return words;
}

/** What an index keeps of a text: its words and the beginnings of its words. */
export function indexedWords(text: string): string[] {
  const kept = new Set<string>();
  for (const word of wordsOf(text)) {
    kept.add(word);
    const characters = [...word];
    for (let length = 2; length < Math.min(characters.length, BEGINNING + 1); length += 1) {
      kept.add(characters.slice(0, length).join(''));
    }
  }
  return [...kept];
}

/** The words that a question asks for; a text is found by any of them. */
export function askedWords(question: string): string[] {
  return [...wordsOf(question)].slice(0, QUESTION_WORDS);
}
