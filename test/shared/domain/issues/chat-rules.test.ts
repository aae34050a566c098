import { expect, test } from 'vitest';
import {
  messageOfIssue,
  messageOfIssueReply,
  messageOfState,
} from '../../../../shared/domain/issues/chat-rules.ts';

const issue = { issue_id: 'iss_1', title: 'Odd fit', content: 'Why two peaks?', username: 'mia' };
const task = { name: 'CheckT1', chip_id: 'CHIP', qid: '12' };
const links = { clientUrl: 'https://lab.example//', environment: 'lab' };

test('an issue starts a thread that links to it and names what it is about', () => {
  expect(messageOfIssue(issue, task, links)).toEqual({
    headline: { text: 'Odd fit', url: 'https://lab.example/issues/iss_1' },
    fields: [
      { name: 'Author', value: 'mia' },
      { name: 'Environment', value: 'lab' },
      { name: 'Chip', value: 'CHIP' },
      { name: 'Target', value: '12' },
      { name: 'Task', value: 'CheckT1' },
    ],
    text: 'Why two peaks?',
    color: '#3a5ccc',
  });
  expect(messageOfIssue(issue, { ...task, qid: '' }, links).fields[3]).toEqual({
    name: 'Target',
    value: '-',
  });
});

test('a reply is its author and its text', () => {
  expect(messageOfIssueReply({ username: 'max', content: 'A neighbour.' })).toEqual({
    headline: { text: 'max', url: null },
    fields: [],
    text: 'A neighbour.',
    color: null,
  });
});

test('closing and reopening are messages with the colour of the new state', () => {
  const plain = { fields: [], text: '' };
  expect(messageOfState('mia', true)).toEqual({
    ...plain,
    headline: { text: 'mia: open → closed', url: null },
    color: '#18794e',
  });
  expect(messageOfState('mia', false)).toEqual({
    ...plain,
    headline: { text: 'mia: closed → open', url: null },
    color: '#3a5ccc',
  });
});
