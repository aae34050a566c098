import { expect, test } from 'vitest';
import { excerptOf, mentionsIn, withoutAiMention } from '../../../../shared/domain/notifications/rules.ts';

test('a mention begins at an @ that continues no word', () => {
  const names = (text: string) => mentionsIn(text).names.map(([longest]) => longest);
  expect(names('@ann and (@bob), @carl_2-x!')).toEqual(['ann', 'bob', 'carl_2-x']);
  expect(names('mail ann@bob.de, x.@bob, a-@bob, é@bob, 量@bob, @@ann')).toEqual(['ann']);
  expect(names('@ , @., @-')).toEqual([]);
});

test('marks at the end of a name may belong to the sentence', () => {
  expect(mentionsIn('Ask @ann.').names).toEqual([['ann.', 'ann']]);
  expect(mentionsIn('Ask @ann... now').names).toEqual([['ann...', 'ann..', 'ann']]);
  expect(mentionsIn('Ask @a.b now').names).toEqual([['a.b']]);
});

test('a name in capitals matches the same one without', () => {
  expect(mentionsIn('Ask @Ann. now').names).toEqual([['Ann.', 'ann.', 'Ann', 'ann']]);
});

test('each name counts once, and no text calls more than fifty', () => {
  expect(mentionsIn('@ann @bob @ann').names).toHaveLength(2);
  const crowd = Array.from({ length: 80 }, (_, index) => `@user${index}`).join(' ');
  expect(mentionsIn(crowd).names).toHaveLength(50);
});

test('reserved names are known in any case and are no usernames', () => {
  expect(mentionsIn('@Project and @QDASH.')).toEqual({ names: [], everybody: true, ai: true });
  expect(mentionsIn('@projects')).toEqual({ names: [['projects']], everybody: false, ai: false });
});

test('an excerpt is one line of at most 180 characters, or 179 and dots', () => {
  expect(excerptOf('  a\n\n b\t c ')).toBe('a b c');
  expect(excerptOf('x'.repeat(180))).toBe('x'.repeat(180));
  expect(excerptOf('x'.repeat(181))).toBe(`${'x'.repeat(179)}...`);
  expect(excerptOf(`${'x'.repeat(178)}😀😀`)).toBe(`${'x'.repeat(178)}...`);
});

test('the mention of the language model is taken out of a text, and nothing else', () => {
  expect(withoutAiMention('@qdash why? Ask @QDash, a@qdash.de, @qdash-2 or @qdashing')).toBe(
    'why? Ask , a@qdash.de, @qdash-2 or @qdashing',
  );
});
