import { expect, test } from 'vitest';
import { askedWords, foundWords, indexedPieces } from '../../../../shared/domain/notes/word-rules.ts';

const finds = (question: string, text: string) => {
  const indexed = new Set(indexedPieces(text));
  const words = askedWords(question).filter(({ pieces }) => pieces.every((piece) => indexed.has(piece)));
  return foundWords(words, text) > 0;
};

test.each([
  ['drift', 'The frequency DRIFTS at night', true],
  ['frequency', 'The frequency drifts', true],
  ['reson', 'Resonator 12 is weak', true],
  ['T1', 't1 fell to 20 µs', true],
  ['12', 'Resonator 12', true],
  ['sonator', 'Resonator 12', true],
  ['onto', 'Resonator 12', false],
  // Every piece of the word occurs in the text, but the word itself does not.
  ['banana', 'banan anana-nana', false],
  ['1', 'Qubit 1', true],
  ['1', 'Qubit 12', false],
  ['cold warm', 'It is warm', true],
  ['ﬁt', 'a bad fit', true],
  ['共振器', '共振器の周波数がずれた', true],
  ['周波', '共振器の周波数がずれた', true],
  ['冷却', '共振器の周波数がずれた', false],
  ['!!!', 'anything', false],
])('%s finds %s: %s', (question, text, found) => {
  expect(finds(question, text)).toBe(found);
});

test('a very long question asks for a bounded number of words', () => {
  expect(askedWords(Array.from({ length: 100 }, (_, index) => `w${index}`).join(' '))).toHaveLength(16);
});
