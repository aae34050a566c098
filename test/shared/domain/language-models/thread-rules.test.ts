import { expect, test } from 'vitest';
import { threadPrompt, turnsOfThread } from '../../../../shared/domain/language-models/thread-rules.ts';
import { withoutAiMention } from '../../../../shared/domain/notifications/rules.ts';

const post = (content: string, is_ai_reply = false) => ({ username: 'ada', content, is_ai_reply });
const options = { withoutMention: withoutAiMention, context: [] };

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

test('long posts are cut, and a mention alone asks for an opinion', () => {
  const [turn] = turnsOfThread([post('x'.repeat(9000))], '@qdash', options);
  expect(turn?.content).toContain('[cut off]');
  expect(turn?.content).toMatch(/What do you say to this\?$/);
});

test('what the operator wrote of the assistant is in its instructions', () => {
  const prompt = threadPrompt({ response_language: 'Japanese', system_prompt: 'Be kind.' }, 'a forum');
  expect(prompt).toContain('You reply in a forum');
  expect(prompt).toContain('Japanese');
  expect(prompt).toContain('Be kind.');
});
