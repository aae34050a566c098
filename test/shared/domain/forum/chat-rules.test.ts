import { expect, test } from 'vitest';
import {
  messageOfReply,
  messageOfStatus,
  messageOfThread,
} from '../../../../shared/domain/forum/chat-rules.ts';
import type { ThreadDocument } from '../../../../shared/domain/forum/model.ts';
import { newProjectId } from '../../../../shared/kernel/new-ids.ts';
import { userNamed } from '../../../support/ids.ts';

const thread: ThreadDocument = {
  _id: '',
  project_id: newProjectId(),
  id: 'thr_1',
  number: 7,
  revision: 0,
  user_id: userNamed('usr_mia'),
  username: 'mia',
  title: 'Odd fit',
  content: 'Why two peaks?',
  content_blocks: [],
  category: 'qubit',
  labels: [],
  assignee_username: null,
  status: 'investigating',
  cooldown_id: null,
  chip_id: 'CHIP',
  target_type: 'qubit',
  target_id: '12',
  is_deleted: false,
  is_ai_reply: false,
  created_at: new Date(0),
  updated_at: new Date(0),
};
const links = { clientUrl: 'https://lab.example//', environment: 'lab' };

test('a thread starts with a message that links to it and names what it is about', () => {
  expect(messageOfThread(thread, links)).toEqual({
    headline: { text: '#7 Odd fit', url: 'https://lab.example/forum/thr_1' },
    fields: [
      { name: 'Author', value: 'mia' },
      { name: 'Environment', value: 'lab' },
      { name: 'Chip', value: 'CHIP' },
      { name: 'Target', value: 'qubit:12' },
      { name: 'Category', value: 'qubit' },
    ],
    text: 'Why two peaks?',
    color: '#d97706',
  });
});

test('a thread about nothing in particular has dashes for chip and target', () => {
  const valuesOf = (fields: Partial<ThreadDocument>) =>
    messageOfThread({ ...thread, ...fields }, links)
      .fields.slice(2, 4)
      .map(({ value }) => value);
  expect(valuesOf({ chip_id: null, target_type: null, target_id: null })).toEqual(['-', '-']);
  expect(valuesOf({ target_id: null })).toEqual(['CHIP', '-']);
  expect(valuesOf({ target_type: null })).toEqual(['CHIP', '-']);
});

test('a reply is its author and its text', () => {
  expect(messageOfReply({ username: 'max', content: 'A neighbour.' })).toEqual({
    headline: { text: 'max', url: null },
    fields: [],
    text: 'A neighbour.',
    color: null,
  });
});

test.each([
  ['open', '#3a5ccc'],
  ['investigating', '#d97706'],
  ['identified', '#e21331'],
  ['resolved', '#18794e'],
] as const)('a change to %s is a message in its colour', (status, color) => {
  expect(messageOfStatus('mia', 'open', status)).toEqual({
    headline: { text: `mia: open → ${status}`, url: null },
    fields: [],
    text: '',
    color,
  });
});
