import { expect, test } from 'vitest';
import {
  threadPrompt,
  turnsOfThread,
  withoutMention,
} from '../../../../shared/domain/language-models/thread-rules.ts';

const post = (content: string, is_ai_reply = false) => ({ username: 'ada', content, is_ai_reply });
const options = { name: 'qdash', context: [] };

test('the name of the assistant is taken out of a text, and no other', () => {
  expect(withoutMention('@qdash why, @QDash?', 'qdash')).toBe('why, ?');
  expect(withoutMention('mail me@qdash and @qdashboard', 'qdash')).toBe('mail me@qdash and @qdashboard');
});

test('posts of people are quotations, those of the assistant turns of its own, and the question comes last', () => {
  expect(
    turnsOfThread([post('one'), post('two'), post('mine', true), post('<data>')], '@qdash and now?', options),
  ).toEqual([
    {
      role: 'user',
      content: '<data source="post by ada">"one"</data>\n<data source="post by ada">"two"</data>',
    },
    { role: 'assistant', content: 'mine' },
    {
      role: 'user',
      content: '<data source="post by ada">"\\u003cdata\\u003e"</data>\nReply to this: and now?',
    },
  ]);
});

test('a newest post that is the question is not told twice, an older one is', () => {
  const [turn] = turnsOfThread([post('why?'), post('@qdash why?')], 'why?', options);
  expect(turn?.content).toBe('<data source="post by ada">"why?"</data>\nReply to this: why?');
  const turns = turnsOfThread([post('why?', true)], 'why?', options);
  expect(turns).toHaveLength(2);
});

test('long posts are cut, and a question of nothing but the mention is asked as it stands', () => {
  const [turn] = turnsOfThread([post('x'.repeat(9000))], '@qdash', options);
  expect(turn?.content).toContain('[cut off]');
  expect(turn?.content).toMatch(/Reply to this: @qdash$/);
});

test('what the operator wrote of the assistant is in its instructions', () => {
  const prompt = threadPrompt({ response_language: 'Japanese', system_prompt: 'Be kind.' }, 'a forum');
  expect(prompt).toContain('You reply in a forum');
  expect(prompt).toContain('Japanese');
  expect(prompt).toContain('Be kind.');
});
