import { expect, test } from 'vitest';
import {
  assertAuthor,
  assertMayClose,
  notificationOf,
  replyToReply,
  titleOf,
  unknownIssue,
} from '../../../../shared/domain/issues/rules.ts';
import { newProjectId } from '../../../../shared/kernel/new-ids.ts';
import { userNamed } from '../../../support/ids.ts';

const [mia, max] = [userNamed('usr_mia'), userNamed('usr_max')];
const asMember = (user_id: typeof mia, isOwner = false) => ({ user_id, username: user_id, isOwner });
const forbidden = (message: string) => expect.objectContaining({ code: 'forbidden', message });

test('a title loses the space around it', () => {
  expect(titleOf({ title: ' Odd fit ' })).toBe('Odd fit');
});

test.each([
  [null, 'missing', 'Field required'],
  [undefined, 'missing', 'Field required'],
  [' ', 'value_error', 'Input should hold more than white space'],
])('the title %j is refused', (title, type, msg) => {
  expect(() => titleOf({ title })).toThrow(
    expect.objectContaining({
      code: 'invalid_input',
      message: 'An issue needs a title.',
      problems: [{ type, loc: ['body', 'title'], msg }],
    }),
  );
});

test('only the author may change an issue, a reply, or the reply of the language model they asked', () => {
  const refusal = forbidden('Only its author may do this.');
  for (const written of [
    { user_id: mia },
    { user_id: mia, asked_by: max },
    { user_id: null, asked_by: mia },
  ]) {
    expect(() => assertAuthor(written, asMember(mia))).not.toThrow();
    expect(() => assertAuthor(written, asMember(max))).toThrow(refusal);
  }
});

test('the author and the owner of the project may close an issue', () => {
  expect(() => assertMayClose({ user_id: mia }, asMember(mia))).not.toThrow();
  expect(() => assertMayClose({ user_id: mia }, asMember(max, true))).not.toThrow();
  expect(() => assertMayClose({ user_id: mia }, asMember(max))).toThrow(
    forbidden('Only the author of an issue or the owner of the project may do this.'),
  );
});

test('errors say what is wrong', () => {
  expect(unknownIssue()).toMatchObject({
    code: 'not_found',
    message: 'There is no such issue in this project.',
  });
  expect(replyToReply()).toMatchObject({
    code: 'invalid_input',
    message: 'parent_id names a reply; reply to its issue.',
    problems: [
      { type: 'value_error', loc: ['body', 'parent_id'], msg: 'Input should name an issue, not a reply' },
    ],
  });
});

test('mentioned users are notified with a link to the issue', () => {
  const thread = { project_id: newProjectId(), issue_id: 'iss_1', title: 'Odd fit' };
  const of = (title: string | null) =>
    notificationOf(thread, { id: 'iss_2', title, content: '@max?' }, asMember(mia));
  expect(of(null)).toEqual({
    projectId: thread.project_id,
    actor: { user_id: mia, username: mia },
    event: {
      source_type: 'issue',
      source_id: 'iss_2',
      target_url: '/issues/iss_1',
      where: 'the issue “Odd fit”',
    },
    text: '\n@max?',
    excerpt: '@max?',
  });
  expect(of('Odd fit').text).toBe('Odd fit\n@max?');
});
