import { expect, test } from 'vitest';
import { excerptOf, postedMessage } from '../../../../shared/domain/chat/rules.ts';

test('an excerpt is the first three lines that say something, without the mention of the language model', () => {
  expect(excerptOf('@qdash why?\n\n  a \n@QDASH\nb\nc')).toBe('why?\na\nb');
  expect(excerptOf('mail@qdash.de')).toBe('mail@qdash.de');
  expect(excerptOf('x'.repeat(200))).toBe('x'.repeat(200));
  expect(excerptOf('x'.repeat(201))).toBe(`${'x'.repeat(199)}...`);
});

test('nothing that people write is a mark of the chat', () => {
  const posted = postedMessage({
    headline: { text: 'A <!channel> & B | C', url: 'http://lab/forum/1' },
    fields: [{ name: 'Author', value: '<@U1>' }],
    text: '<https://evil|click>',
    color: '#3a5ccc',
  });
  expect(posted).toEqual({
    text: '*<http://lab/forum/1|A &lt;!channel&gt; &amp; B ¦ C>*',
    unfurl_links: false,
    unfurl_media: false,
    link_names: false,
    attachments: [
      {
        fallback: 'A &lt;!channel&gt; &amp; B | C',
        color: '#3a5ccc',
        fields: [{ title: 'Author', value: '&lt;@U1&gt;', short: true }],
        text: '&lt;https://evil|click&gt;',
        mrkdwn_in: [],
      },
    ],
  });
});

test('a message without text, fields and bar is its headline', () => {
  const posted = postedMessage({ headline: { text: 'mia', url: null }, fields: [], text: '', color: null });
  expect(posted).toMatchObject({ text: '*mia*' });
  expect(posted).not.toHaveProperty('attachments');
});
