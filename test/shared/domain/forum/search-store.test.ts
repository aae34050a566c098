import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ThreadDocument, ThreadQuery } from '../../../../shared/domain/forum/model.ts';
import { createSearch } from '../../../../shared/domain/forum/search.ts';
import { createSearchStore } from '../../../../shared/domain/forum/search-store.ts';
import { createThreadStore, threadIndexes } from '../../../../shared/domain/forum/thread-store.ts';
import { keyOf } from '../../../../shared/kernel/ids.ts';
import { ensureIndexes } from '../../../../shared/kernel/index-builds.ts';
import { newId } from '../../../../shared/kernel/new-ids.ts';
import { projectNamed, userNamed } from '../../../support/ids.ts';
import { openOwnAreas } from '../../../support/own-areas.ts';

let own: Awaited<ReturnType<typeof openOwnAreas>>;
beforeAll(async () => {
  own = await openOwnAreas();
});
afterAll(() => own.close());

const everything = { skip: 0, limit: 50, status: 'all' } as const;
const shown = {
  status: 'open',
  category: 'other',
  labels: [],
  chip_id: null,
  target_type: null,
  target_id: null,
  cooldown_id: null,
} satisfies Partial<ThreadDocument>;

function stores() {
  const { db } = own.kernel;
  const project = projectNamed(newId());
  const threads = createThreadStore(db);
  const texts = createSearchStore(db);
  const begin = (title: string, fields: Partial<ThreadDocument> = {}) =>
    threads.insert({
      id: newId(),
      project_id: project,
      user_id: userNamed('user'),
      username: 'tom',
      title,
      content: 'text',
      content_blocks: [],
      assignee_username: null,
      ...shown,
      is_deleted: false,
      is_ai_reply: false,
      revision: 0,
      created_at: new Date(),
      updated_at: new Date(),
      ...fields,
    });
  const titles = async (q: string, query: Partial<ThreadQuery> = {}) =>
    (await threads.page(project, { ...everything, ...query, q })).threads.map(({ title }) => title);
  /** Looks for a part as a process does that has not looked before, with so much memory. */
  const finder = (memory?: number) => {
    const search = createSearch(texts, memory);
    return async (part: string) => {
      const { threads: last } = await threads.count(project);
      const { found, unknown } = await search.find(project, { part, narrowing: { status: 'all' }, last });
      return { found: found.sort((a, b) => b - a), unknown };
    };
  };
  /** Takes away all that the search knows, as of a forum that is older than it. */
  const forget = async () => {
    await db.collection('forum_search_blocks').deleteMany({ project_id: project });
    await db.collection<{ _id: string }>('forum_search_versions').deleteMany({ _id: project });
  };
  return { project, threads, texts, finder, begin, titles, forget };
}

test('a thread is found although its text was not indexed, and by its current text', async () => {
  const { project, texts, finder, threads, begin, titles } = stores();
  const thread = await begin('Kink');
  const find = finder();
  expect(await find('kink')).toMatchObject({ found: [1] });
  // As when a process ends between the two writes of a change.
  await texts.takeBack(project, thread.number, 1);
  expect(await find('kink')).toMatchObject({ found: [], unknown: expect.arrayContaining([1]) });
  expect(await titles('kink')).toEqual(['Kink']);
  // Nobody knows what comes of that change: the thread is read each time, until it has a newer revision.
  expect((await find('kink')).unknown).toContain(1);
  const changed = await threads.change(thread, { title: 'Bend' });
  expect(changed?.title).toBe('Bend');
  expect([await titles('kink'), await titles('bend')]).toEqual([[], ['Bend']]);
});

test('a thread takes the next number at once, however many numbers the count has missed', async () => {
  await ensureIndexes(own.database, threadIndexes);
  const { project, begin } = stores();
  await begin('First');
  // As when processes end between the two writes of a new thread.
  await own.kernel.db.collection<{ _id: string }>('forum_threads').insertMany(
    Array.from({ length: 1200 }, (_, index) => ({
      _id: keyOf(project, newId()),
      project_id: project,
      number: index + 2,
    })),
  );
  expect((await begin('Next')).number).toBe(1202);
  expect((await begin('After it')).number).toBe(1203);
});

test('threads that are older than the search are found, and read once', async () => {
  const { finder, begin, titles, forget } = stores();
  for (let number = 1; number <= 65; number += 1) await begin(`Line ${number}.`);
  await forget();
  expect(await titles('line 6', { limit: 2 })).toEqual(['Line 65.', 'Line 64.']);
  expect((await finder()('line 6')).found).toEqual([65, 64, 63, 62, 61, 60, 6]);
});

test('threads that are older than the search are found after one of them changed before anybody searched', async () => {
  const { project, threads, begin, titles, forget } = stores();
  const first = await begin('Kink one');
  const second = await begin('Kink two');
  await begin('Kink three');
  await forget();
  await threads.change(first, { title: 'Kink 1' });
  await threads.remove(project, second.id);
  for (let twice = 0; twice < 2; twice += 1) expect(await titles('kink')).toEqual(['Kink three', 'Kink 1']);
});

test('threads whose block is gone are found, and kept again', async () => {
  const { project, finder, begin, titles } = stores();
  await begin('Kink');
  await own.kernel.db.collection('forum_search_blocks').deleteMany({ project_id: project });
  const find = finder();
  expect((await find('kink')).unknown).toContain(1);
  expect(await titles('kink')).toEqual(['Kink']);
  expect(await find('kink')).toMatchObject({ found: [1], unknown: expect.not.arrayContaining([1]) });
});

test('a text that was kept by a process which died before it said so is read once more by each other one', async () => {
  const { project, texts, finder, begin } = stores();
  const { number } = await begin('Kink');
  await texts.takeBack(project, number, 1);
  const find = finder();
  expect((await find('kink')).unknown).toContain(number);
  const slot = { text: 'kink', filing: shown, revision: 1 };
  await own.kernel.db
    .collection('forum_search_blocks')
    .updateOne({ project_id: project }, { $set: { [`slots.${number}`]: slot } });
  expect((await find('kink')).unknown).toContain(number);
  await texts.settle(project, [{ number, ...slot }]);
  expect(await find('kink')).toMatchObject({
    found: [number],
    unknown: expect.not.arrayContaining([number]),
  });
});

test('an older text that comes late does not take the place of a newer one', async () => {
  const { project, texts, finder, begin } = stores();
  const { number } = await begin('First');
  const find = finder();
  await texts.takeBack(project, number, 2);
  await texts.settle(project, [
    { number, revision: 1, text: 'second', filing: shown },
    { number, revision: 0, text: 'first', filing: shown },
  ]);
  expect((await find('second')).found).toEqual([]);
  await texts.settle(project, [{ number, revision: 2, text: 'third', filing: shown }]);
  await texts.takeBack(project, number, 1);
  expect((await find('third')).found).toEqual([number]);
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

test('a search counts what lists show: the status that is requested, and nothing that is deleted', async () => {
  const { threads, texts, project, begin } = stores();
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
  await texts.takeBack(project, 3, 1);
  await own.kernel.db
    .collection('forum_threads')
    .updateOne({ project_id: project, number: 3 }, { $set: { is_deleted: true }, $inc: { revision: 1 } });
  expect(await found('open')).toEqual([[], 0]);
});

test('a search within a part of the forum shows what a list of that part shows', async () => {
  const { threads, project, begin } = stores();
  const target = { chip_id: 'A', target_type: 'coupling', target_id: '0-1' } as const;
  await begin('Line 1', { category: 'qubit', labels: ['review'] });
  const second = await begin('Line 2', { ...target, cooldown_id: 'CD' });
  await begin('Line 3', { ...target, chip_id: 'a', status: 'resolved' });
  const parts: Partial<ThreadQuery>[] = [
    { category: 'qubit' },
    { label: 'review' },
    { chip_id: 'A' },
    { chip_id: 'A', target_type: 'coupling', target_id: '0-1' },
    { target_type: 'qubit' },
    { cooldown_id: 'CD', status: 'open' },
  ];
  const both = async (query: Partial<ThreadQuery>) => {
    const [found, listed] = await Promise.all(
      [{ q: 'line' }, {}].map((q) => threads.page(project, { ...everything, ...query, ...q })),
    );
    return [found, listed];
  };
  for (const part of parts) {
    const [found, listed] = await both(part);
    expect([part, found]).toEqual([part, listed]);
  }
  // Nothing of the text changes with it.
  await threads.change(second, { target_type: 'qubit' });
  const [found, listed] = await both({ target_type: 'qubit' });
  expect(found).toEqual(listed);
  expect(found?.total).toBe(1);
});

test('a process finds what another one wrote, changed and deleted since it last looked', async () => {
  const { threads, project, begin, finder } = stores();
  const find = finder();
  const [first, second] = [await begin('Kink one'), await begin('Kink two')];
  expect((await find('kink')).found).toEqual([2, 1]);
  await threads.change(first, { title: 'Bend' });
  await threads.remove(project, second.id);
  await begin('Kink three');
  expect([(await find('kink')).found, (await find('bend')).found]).toEqual([[3], [1]]);
});

test('what a process has no room to keep is looked for in the store', async () => {
  const { threads, texts, project, begin, finder } = stores();
  const lines: ThreadDocument[] = [];
  for (let number = 1; number <= 66; number += 1) lines.push(await begin(`Line ${number}.`));
  const narrow = finder(1);
  for (let twice = 0; twice < 2; twice += 1) expect((await narrow('line 6.')).found).toEqual([6]);
  expect((await narrow('line 6')).found).toEqual([66, 65, 64, 63, 62, 61, 60, 6]);
  const [sixth] = lines.slice(5);
  if (sixth) await threads.change(sixth, { title: 'Bend' });
  expect([(await narrow('line 6.')).found, (await narrow('bend')).found]).toEqual([[], [6]]);
  await texts.takeBack(project, 66, 1);
  expect((await narrow('line 6')).unknown).toContain(66);
});

test('searches at once read what they share once', async () => {
  const { texts, project, begin } = stores();
  await begin('Kink');
  const read: number[] = [];
  const search = createSearch({
    ...texts,
    read: (of, blocks) => {
      read.push(...blocks);
      return texts.read(of, blocks);
    },
  });
  const looked = { part: 'kink', narrowing: { status: 'all' }, last: 1 } as const;
  const found = await Promise.all(Array.from({ length: 5 }, () => search.find(project, looked)));
  expect(found.map((each) => each.found)).toEqual(Array(5).fill([1]));
  expect(read).toEqual([0]);
});

test('a process keeps the texts of as many projects as there is room for, those that were looked for last', async () => {
  const { texts } = stores();
  const projects = [stores(), stores()];
  for (const each of projects) await each.begin('Kink');
  const [first = '', second = ''] = projects.map(({ project }) => project);
  const readsWith = async (memory: number) => {
    const read: string[] = [];
    const search = createSearch(
      {
        ...texts,
        read: (of, blocks) => {
          read.push(of);
          return texts.read(of, blocks);
        },
      },
      memory,
    );
    const looked = { part: 'kink', narrowing: { status: 'all' }, last: 1 } as const;
    for (const each of [first, second, second, first]) {
      expect((await search.find(projectNamed(each), looked)).found).toEqual([1]);
    }
    return read;
  };
  // A block of one short text takes some 16,000 characters.
  expect(await readsWith(20_000)).toEqual([first, second, first]);
  expect(await readsWith(40_000)).toEqual([first, second]);
});

test('a process forgets the texts of a project of which the store knows nothing any more', async () => {
  const { finder, begin, forget } = stores();
  await begin('Kink');
  const find = finder();
  expect((await find('kink')).found).toEqual([1]);
  await forget();
  expect(await find('kink')).toMatchObject({ found: [], unknown: expect.arrayContaining([1]) });
});
