import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSearchStore } from '../../../../shared/domain/forum/search-store.ts';
import { createThreadStore } from '../../../../shared/domain/forum/thread-store.ts';
import { newId } from '../../../../shared/kernel/ids.ts';
import { openOwnAreas } from '../../../support/own-areas.ts';

let own: Awaited<ReturnType<typeof openOwnAreas>>;
beforeAll(async () => {
  own = await openOwnAreas();
});
afterAll(() => own.close());

const everything = { skip: 0, limit: 50, status: 'all' } as const;

function stores() {
  const { db } = own.kernel;
  const project = newId();
  const threads = createThreadStore(db);
  const begin = (title: string) =>
    threads.insert({
      id: newId(),
      project_id: project,
      user_id: 'user',
      username: 'tom',
      title,
      content: 'text',
      content_blocks: [],
      category: 'other',
      labels: [],
      assignee_username: null,
      status: 'open',
      chip_id: null,
      target_type: null,
      target_id: null,
      cooldown_id: null,
      is_deleted: false,
      is_ai_reply: false,
      revision: 0,
      created_at: new Date(),
      updated_at: new Date(),
    });
  const titles = async (q: string, page: { skip?: number; limit?: number } = {}) =>
    (await threads.page(project, { ...everything, ...page, q })).threads.map(({ title }) => title);
  return { project, threads, search: createSearchStore(db), begin, titles };
}

test('a thread is found although nobody came to keep its text, and by its text of now', async () => {
  const { project, search, threads, begin, titles } = stores();
  const thread = await begin('Kink');
  expect(await search.find(project, 'kink', 'all')).toMatchObject({ found: [1] });
  // As when a process ends between the two writes of a change.
  await search.takeBack(project, thread.number, 1);
  expect(await search.find(project, 'kink', 'all')).toMatchObject({
    found: [],
    unknown: expect.arrayContaining([1]),
  });
  expect(await titles('kink')).toEqual(['Kink']);
  // Nobody knows what comes of that change: the thread is read each time, until it has a newer revision.
  expect((await search.find(project, 'kink', 'all')).unknown).toContain(1);
  const changed = await threads.change(thread, { title: 'Bend' });
  expect(changed?.title).toBe('Bend');
  expect([await titles('kink'), await titles('bend')]).toEqual([[], ['Bend']]);
});

test('threads that are older than the search are found, and read once', async () => {
  const { project, search, begin, titles } = stores();
  for (let number = 1; number <= 65; number += 1) await begin(`Line ${number}.`);
  await own.kernel.db.collection('forum_search').deleteMany({ project_id: project });
  expect(await titles('line 6', { limit: 2 })).toEqual(['Line 65.', 'Line 64.']);
  expect((await search.find(project, 'line 6', 'all')).found.sort()).toEqual([6, 60, 61, 62, 63, 64, 65]);
});

test('an older text that comes late does not take the place of a newer one', async () => {
  const { project, search, begin } = stores();
  const { number } = await begin('First');
  await search.takeBack(project, number, 2);
  await search.settle(project, [
    { number, revision: 1, text: 'second', status: 'open' },
    { number, revision: 0, text: 'first', status: 'open' },
  ]);
  expect((await search.find(project, 'second', 'all')).found).toEqual([]);
  await search.settle(project, [{ number, revision: 2, text: 'third', status: 'open' }]);
  await search.takeBack(project, number, 1);
  expect((await search.find(project, 'third', 'all')).found).toEqual([number]);
});

test('what was found is paged over, whatever is deleted of it', async () => {
  const { threads, project, begin, titles } = stores();
  const ids: string[] = [];
  for (let number = 1; number <= 66; number += 1) ids.push((await begin(`Line ${number}.`)).id);
  await threads.remove(project, ids[65] ?? '');
  expect(await titles('line', { skip: 1, limit: 3 })).toEqual(['Line 64.', 'Line 63.', 'Line 62.']);
  expect(await threads.page(project, { ...everything, q: 'line 6' })).toMatchObject({ total: 7 });
  expect(await titles('#64')).toEqual(['Line 64.']);
  const numbered = await threads.page(project, { ...everything, q: 'line', number: 3 });
  expect(numbered.threads.map(({ title }) => title)).toEqual(['Line 3.']);
});

test('a search counts what lists show: the status that is asked for, and nothing that is deleted', async () => {
  const { threads, search, project, begin } = stores();
  const [first, second] = [await begin('Kink one'), await begin('Kink two')];
  await begin('Kink three');
  await threads.change(first, { status: 'resolved' });
  await threads.remove(project, second.id);
  const found = async (status: 'open' | 'resolved' | 'all') => {
    const { threads: page, total } = await threads.page(project, { ...everything, status, q: 'kink' });
    return [page.map(({ number }) => number), total];
  };
  expect([await found('open'), await found('resolved'), await found('all')]).toEqual([
    [[3], 1],
    [[1], 1],
    [[3, 1], 2],
  ]);
  expect((await threads.page(project, { ...everything, q: '2' })).total).toBe(0);
  // As when a process ends while it deletes a thread.
  await search.takeBack(project, 3, 1);
  await own.kernel.db
    .collection('forum_threads')
    .updateOne({ project_id: project, number: 3 }, { $set: { is_deleted: true }, $inc: { revision: 1 } });
  expect(await found('open')).toEqual([[], 0]);
});
