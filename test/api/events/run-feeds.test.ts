import { expect, test } from 'vitest';
import { createRunFeeds, type Listener } from '../../../api/events/run-feeds.ts';
import { executionNamed, projectNamed } from '../../support/ids.ts';

const nothing = () => undefined;

function listenerOf(user: string): Listener {
  return { share: { user }, wake: nothing, beat: nothing, leave: nothing };
}

test('a user who follows many runs does not delay the events of another user', async () => {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const feeds = createRunFeeds((_projectId, executionId) => ({
    look: async () => {
      begun.push(executionId);
      await new Promise<void>((end) => ends.push(end));
      return null;
    },
  }));
  const many = Array.from({ length: 20 }, (_, run) =>
    feeds.listen(projectNamed('busy'), executionNamed(`busy ${run}`), listenerOf('busy')),
  );
  const one = feeds.listen(projectNamed('small'), executionNamed('small'), listenerOf('small'));
  await new Promise(setImmediate);
  // The busy user has at most four polls at a time.
  expect(begun).toHaveLength(5);
  expect(begun).toContain('small');
  const all = Promise.all([...many, one]);
  while (begun.length < 21 || ends.length > 0) {
    for (const end of ends.splice(0)) end();
    await new Promise(setImmediate);
  }
  for (const { leave } of await all) leave();
  expect(feeds.listening()).toBe(0);
});
