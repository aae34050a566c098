import { expect, test } from 'vitest';
import { fittingTurns, joinedTurns } from '../../../../shared/domain/language-models/rules.ts';
import { threadPrompt, turnsOfThread } from '../../../../shared/domain/language-models/thread-rules.ts';
import { withoutAiMention } from '../../../../shared/domain/notifications/rules.ts';

const post = (content: string, is_ai_reply = false) => ({ username: 'ada', content, is_ai_reply });
const options = { withoutMention: withoutAiMention, context: [] };

test('posts of people are quotations, those of the assistant turns of its own, and the question comes last', () => {
  expect(
    turnsOfThread([post('one'), post('two'), post('mine', true), post('<data>')], '@qdash and now?', options),
  ).toEqual([
    { role: 'user', content: '<data source="post by ada">"one"</data>' },
    { role: 'user', content: '<data source="post by ada">"two"</data>' },
    { role: 'assistant', content: 'mine' },
    { role: 'user', content: '<data source="post by ada">"\\u003cdata\\u003e"</data>' },
    { role: 'user', content: 'Reply to this: and now?' },
  ]);
});

test('a newest post that is the question is not sent twice, an older one is', () => {
  const texts = turnsOfThread([post('why?'), post('@qdash why?')], 'why?', options);
  expect(texts.map(({ content }) => content)).toEqual([
    '<data source="post by ada">"why?"</data>',
    'Reply to this: why?',
  ]);
  const turns = turnsOfThread([post('why?', true)], 'why?', options);
  expect(turns).toHaveLength(2);
});

test('posts that are too long once they are quoted are cut, and a mention alone asks for an opinion', () => {
  const [long, asked] = turnsOfThread([post('<'.repeat(9000))], '@qdash', options);
  expect(long?.content).toContain('[cut off]');
  expect(asked?.content).toBe('What do you say to this?');
});

test('what the operator wrote of the assistant is in its instructions', () => {
  const prompt = threadPrompt({ response_language: 'Japanese', system_prompt: 'Be kind.' }, 'a forum');
  expect(prompt).toContain('You reply in a forum');
  expect(prompt).toContain('Japanese');
  expect(prompt).toContain('Be kind.');
});

test('of a thread that is too long for a model its newest posts are sent with what is known, its oldest are not', () => {
  const posts = Array.from({ length: 40 }, (_, at) => post(`${at} ${'x'.repeat(5000)}`, at % 7 === 3));
  const context = [{ source: 'task result', content: { t1: 40 } }];
  const turns = turnsOfThread(posts, 'why?', { ...options, context });
  const told = joinedTurns(fittingTurns({ max_input_tokens: 8000 }, '', turns));
  expect(told[0]?.role).toBe('user');
  expect(told.every(({ role }, at) => role === (at % 2 === 0 ? 'user' : 'assistant'))).toBe(true);
  const text = told.map(({ content }) => content).join('\n');
  expect(text).toContain('"t1":40');
  expect(text).toContain('"39 x');
  expect(text).not.toContain('"0 x');
});

test('pictures of turns that become one stay in their order', () => {
  const picture = (at: number) => new Uint8Array([at]);
  expect(
    joinedTurns([
      { role: 'user', content: 'a', images: [picture(1)] },
      { role: 'user', content: 'b', images: [picture(2), picture(3)] },
    ]),
  ).toEqual([{ role: 'user', content: 'a\nb', images: [picture(1), picture(2), picture(3)] }]);
});
