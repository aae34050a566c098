import { expect, test } from 'vitest';
import {
  boundedContent,
  contentWithoutModel,
  type Extracted,
  extractionQuestion,
  imageUrlsOf,
} from '../../../../shared/domain/issues/extraction-rules.ts';
import type { IssueDocument, StoredReply } from '../../../../shared/domain/issues/model.ts';
import { newProjectId } from '../../../../shared/kernel/new-ids.ts';
import { taskNamed, userNamed } from '../../../support/ids.ts';

const reply = (username: string, content: string, is_ai_reply = false): StoredReply => ({
  issue_id: 'iss_2',
  user_id: is_ai_reply ? null : userNamed('usr_max'),
  username,
  content,
  is_ai_reply,
  asked_by: null,
  created_at: new Date(0),
  updated_at: new Date(0),
});
const threadWith = (replies: StoredReply[], fields: Partial<IssueDocument> = {}): IssueDocument => ({
  _id: '',
  project_id: newProjectId(),
  issue_id: 'iss_1',
  task_id: taskNamed('a'),
  user_id: userNamed('usr_mia'),
  username: 'mia',
  title: 'Odd fit',
  content: 'Why two peaks?',
  is_closed: true,
  reply_count: replies.length,
  replies,
  created_at: new Date(0),
  updated_at: new Date(0),
  ...fields,
});
const target = { name: 'CheckT1', chip_id: 'CHIP', qid: '12' };

const extracted: Extracted = {
  title: ' Two peaks ',
  severity: 'CRITICAL',
  human_label: ' ANOMALY ',
  failure_mode_labels: [' a ', '', 'b'],
  case_type: ['negative_example'],
  model_error_type: 'false_positive',
  resolution_label: 'rerun_task',
  symptom: 's',
  model_prediction: 'p',
  human_review_decision: 'd',
  root_cause: 'c',
  resolution: 'r',
  boundary_criteria: 'b',
  lesson_learned: [' one ', ' '],
  applicability: 'a',
  counterexample: 'x',
  prompt_guidance: 'g',
};

test('a model reads the target, the issue and its replies in order', () => {
  const question = extractionQuestion(
    threadWith([reply('max', 'First.'), reply('bot', 'Second.', true)]),
    target,
  );
  expect(question.split('\n')).toEqual([
    '<data source="task">"CheckT1"</data>',
    '<data source="chip">"CHIP"</data>',
    '<data source="target">"12"</data>',
    '<data source="title">"Odd fit"</data>',
    '<data source="issue by mia">"Why two peaks?"</data>',
    '<data source="reply by max">"First."</data>',
    '<data source="reply by a language model">"Second."</data>',
    'Extract the case.',
  ]);
});

test('of a long discussion a model reads the first post and the newest replies, each cut', () => {
  const replies = Array.from({ length: 20 }, (_, index) => reply(`u${10 + index}`, 'x'.repeat(5000)));
  const lines = extractionQuestion(threadWith(replies, { content: 'y'.repeat(5000) }), target).split('\n');
  const posts = lines.slice(5, -1);
  expect(lines[4]).toHaveLength(4000);
  expect(posts).toHaveLength(15);
  for (const post of posts) expect(post).toHaveLength(4000);
  expect(posts[0]).toContain('reply by u15');
  expect(posts.at(-1)).toContain('reply by u29');
});

test('an extraction is trimmed, without empty labels and lessons', () => {
  expect(boundedContent(extracted, { title: 'Odd fit' })).toEqual({
    ...extracted,
    title: 'Two peaks',
    severity: 'critical',
    human_label: 'ANOMALY',
    failure_mode_labels: ['a', 'b'],
    lesson_learned: ['one'],
  });
});

test('an unknown severity is a warning, and a missing title that of the issue', () => {
  const made = boundedContent({ ...extracted, severity: 'awful', title: ' ' }, { title: ' Odd fit ' });
  expect(made).toMatchObject({ severity: 'warning', title: 'Odd fit' });
  expect(boundedContent({ ...extracted, title: '' }, { title: '' }).title).toBe('Untitled case');
});

test('an extraction is cut to the limits of a case, never within a character', () => {
  const long = 'x'.repeat(9000);
  const many = Array.from({ length: 60 }, (_, index) => `${index}-${long}`);
  const made = boundedContent(
    {
      ...extracted,
      title: long,
      human_label: long,
      failure_mode_labels: many,
      symptom: long,
      root_cause: `${'x'.repeat(4999)}😀`,
      lesson_learned: many,
    },
    { title: '' },
  );
  expect(made.title).toHaveLength(200);
  expect(made.human_label).toHaveLength(64);
  expect(made.failure_mode_labels).toHaveLength(50);
  expect(made.failure_mode_labels[0]).toHaveLength(64);
  expect(made.symptom).toHaveLength(5000);
  expect(made.root_cause).toBe('x'.repeat(4999));
  expect(made.lesson_learned).toHaveLength(50);
  expect(made.lesson_learned[0]).toHaveLength(2000);
});

test('without a model the posts of a discussion become the parts of a case', () => {
  const replies = [
    reply('max', 'A neighbour?'),
    reply('bot', 'Likely.', true),
    reply('mia', 'Yes.'),
    reply('bot', 'Good.', true),
    reply('max', 'Moved it.'),
  ];
  expect(contentWithoutModel(threadWith(replies))).toEqual({
    title: 'Odd fit',
    severity: 'warning',
    human_label: '',
    failure_mode_labels: [],
    case_type: [],
    model_error_type: '',
    resolution_label: '',
    root_cause: '',
    boundary_criteria: '',
    lesson_learned: [],
    applicability: '',
    counterexample: '',
    prompt_guidance: '',
    symptom: 'Why two peaks?',
    model_prediction: 'bot: Likely.\n\nbot: Good.',
    human_review_decision: 'max: A neighbour?\n\nmia: Yes.',
    resolution: 'Moved it.',
  });
  expect(contentWithoutModel(threadWith([]))).toMatchObject({ resolution: '', human_review_decision: '' });
});

test('the pictures of a discussion are found once each, in order', () => {
  const urls = (content: string, ...replies: string[]) =>
    imageUrlsOf({ content, replies: replies.map((text) => reply('max', text)) });
  expect(urls('![a](/1.png) and ![](/2.png)', '![b](/1.png)', '![c](/3.png)')).toEqual([
    '/1.png',
    '/2.png',
    '/3.png',
  ]);
  expect(urls('[a](/1.png) ![a]( /2.png) ![a]() ![a](/3 .png)')).toEqual([]);
  expect(urls(`![${'x'.repeat(500)}](/1.png) ![${'x'.repeat(501)}](/2.png)`)).toEqual(['/1.png']);
  expect(urls(`![](${'x'.repeat(2000)}) ![](${'y'.repeat(2001)})`)).toEqual(['x'.repeat(2000)]);
  expect(urls(Array.from({ length: 60 }, (_, index) => `![](/${index})`).join(''))).toHaveLength(50);
});
