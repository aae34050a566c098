import type {
  ForumCountDocument,
  ReplyDocument,
  SearchBlockDocument,
  SearchVersionsDocument,
  ThreadDocument,
  ThreadQuery,
} from '../../shared/domain/forum/model.ts';
import { threadQuery } from '../../shared/domain/forum/model.ts';
import { BLOCK, placeOf, slotOf, unknownSlots } from '../../shared/domain/forum/search-rules.ts';
import type { NotificationDocument } from '../../shared/domain/notifications/model.ts';
import { keyOf, type ProjectId } from '../../shared/kernel/ids.ts';
import { newProjectId } from '../../shared/kernel/new-ids.ts';
import { userNamed } from '../../test/support/ids.ts';
import { type Laboratory, openLaboratory } from '../../test/support/laboratory.ts';
import type { Figure } from './figure.ts';
import { type Read, timeReads } from './timed-reads.ts';

/** Number of threads. There are as many replies, all to the newest tenth of the threads. */
const THREADS = 50_000;
const FEW_THREADS = 500;
/** Documents per insert. */
const BATCH = 16 * BLOCK;
const QUBITS = 144;
/** The user mentioned by every post of the newest tenth. */
const READER = 'usr_mia';

/** Ids in the order of the posts, so that the store's index grows at one end. */
const idOf = (index: number) => index.toString(16).padStart(24, '0');

const categories = ['qubit', 'coupling', 'control', 'system', 'other'];
const subjects = [
  'Readout drifts',
  'T1 is short',
  'Cross resonance is weak',
  'Fridge was warm',
  'Spurious line',
];
const words =
  'after the last cooldown we saw that amplitude frequency and phase moved within hours of calibration'.split(
    ' ',
  );

/** Thread number `number`. Subjects, categories and qubits alternate; every fifth thread is open. */
function threadOf(project_id: ProjectId, number: number): ThreadDocument {
  const id = idOf(number);
  const at = new Date(Date.UTC(2026, 0, 1) + number * 60_000);
  const text = Array.from({ length: 30 }, (_, at) => words[(number * 7 + at * at) % words.length]).join(' ');
  const fields = {
    title: `${subjects[number % subjects.length]} on Q${number % QUBITS}`,
    content: `${text}. Marked as case-${number}.`,
    category: categories[number % categories.length] ?? 'other',
    labels: number % 10 === 3 ? (['anomaly'] as ThreadDocument['labels']) : [],
    assignee_username: number % 7 === 0 ? 'mia' : null,
    status: number % 5 === 0 ? ('open' as const) : ('resolved' as const),
    chip_id: 'CHIP',
    target_type: 'qubit' as const,
    target_id: String(number % QUBITS),
    cooldown_id: `CD${Math.floor(number / 5000)}`,
  };
  return {
    _id: keyOf(project_id, id),
    project_id,
    id,
    user_id: userNamed('user'),
    username: 'tom',
    content_blocks: [],
    is_deleted: false,
    is_ai_reply: false,
    created_at: at,
    updated_at: at,
    ...fields,
    number,
    revision: 0,
  };
}

/** Search index blocks of threads with consecutive numbers. */
function blocksOf(threads: readonly ThreadDocument[]): SearchBlockDocument[] {
  const blocks = new Map<number, SearchBlockDocument>();
  for (const thread of threads) {
    const { project_id, number } = thread;
    const { block, slot } = placeOf(number);
    const kept = blocks.get(block) ?? {
      _id: keyOf(project_id, block),
      project_id,
      block,
      slots: unknownSlots(),
    };
    kept.slots[slot] = slotOf(thread);
    blocks.set(block, kept);
  }
  return [...blocks.values()];
}

async function fill({ database: { db } }: Laboratory, project: ProjectId, count: number): Promise<string[]> {
  const threads = db.collection<ThreadDocument>('forum_threads');
  const replies = db.collection<ReplyDocument>('forum_replies');
  const search = db.collection<SearchBlockDocument>('forum_search_blocks');
  const newest: string[] = [];
  // Thread numbers start at 1. Batches start at a block's first number, so that they fill whole blocks.
  for (let first = 0; first <= count; first += BATCH) {
    const length = Math.min(BATCH, count - first + 1);
    const made = Array.from({ length }, (_, offset) => threadOf(project, first + offset)).slice(
      first === 0 ? 1 : 0,
    );
    await threads.insertMany(made, { ordered: false });
    await search.insertMany(blocksOf(made), { ordered: false });
    newest.push(...made.filter(({ number }) => number > count * 0.9).map(({ id }) => id));
  }
  for (let first = 0; first < count; first += BATCH) {
    const made = Array.from({ length: Math.min(BATCH, count - first) }, (_, offset): ReplyDocument => {
      const id = idOf(1e9 + first + offset);
      const at = new Date(Date.UTC(2026, 6, 1) + (first + offset) * 1000);
      return {
        _id: keyOf(project, id),
        project_id: project,
        id,
        parent_id: newest[(first + offset) % newest.length] ?? '',
        user_id: userNamed('user'),
        username: 'mia',
        content: `Reply ${first + offset}`,
        content_blocks: [],
        is_deleted: false,
        is_ai_reply: false,
        created_at: at,
        updated_at: at,
      };
    });
    await replies.insertMany(made, { ordered: false });
    await db.collection<NotificationDocument>('notifications').insertMany(made.map(noticeOf), {
      ordered: false,
    });
  }
  await db
    .collection<ForumCountDocument>('forum_counts')
    .insertOne({ _id: project, last_number: count, replies: count });
  const blocks = Array.from({ length: placeOf(count).block + 1 }, (_, block) => [String(block), 1]);
  await db
    .collection<SearchVersionsDocument>('forum_search_versions')
    .insertOne({ _id: project, versions: Object.fromEntries(blocks) });
  return newest;
}

/** Notification that a reply mentions a reader. A tenth of them is unread. */
function noticeOf({ project_id, id, parent_id, content, created_at }: ReplyDocument, index: number) {
  return {
    _id: keyOf(project_id, READER, 'forum_post', id),
    id,
    project_id,
    recipient_user_id: userNamed(READER),
    recipient_username: 'mia',
    actor_user_id: userNamed('user'),
    actor_username: 'tom',
    kind: 'forum_mention',
    source_type: 'forum_post',
    source_id: id,
    target_url: `/forum/${parent_id}`,
    title: 'tom mentioned you',
    excerpt: content,
    read_at: index % 10 === 0 ? null : created_at,
    created_at,
  } satisfies NotificationDocument;
}

/** Typical reads of a forum. Each list includes its total count. */
function readsOf(
  { areas: { forum, notifications }, database }: Laboratory,
  filled: { project: ProjectId; newest: string[]; count: number },
): Read[] {
  const { project, newest, count } = filled;
  const versions = database.db.collection<SearchVersionsDocument>('forum_search_versions');
  const list = (query: Partial<ThreadQuery>) => forum.list(project, { ...threadQuery.parse({}), ...query });
  const budget = 'p95 100 ms';
  return [
    { name: 'open threads, newest 50 and count', budget, ask: () => list({}) },
    {
      name: 'threads of every status, a later page',
      budget,
      ask: (n) => list({ status: 'all', skip: 50 * (n % 20) }),
    },
    {
      name: 'threads of a category',
      budget,
      ask: (n) => list({ status: 'all', category: categories[n % 5] }),
    },
    {
      name: 'threads of a qubit',
      budget,
      ask: (n) =>
        list({ status: 'all', chip_id: 'CHIP', target_type: 'qubit', target_id: String(n % QUBITS) }),
    },
    { name: 'threads of a label', budget, ask: () => list({ status: 'all', label: 'anomaly' }) },
    {
      name: 'search for what few threads have',
      budget,
      ask: (n) => list({ status: 'all', q: `case-${(n * 37) % count}` }),
    },
    { name: 'search for what nobody wrote', budget, ask: () => list({ status: 'all', q: 'superfluid' }) },
    {
      name: 'search for two letters',
      budget,
      ask: (n) => list({ status: 'all', q: ['q1', 'ph', 't1'][n % 3] }),
    },
    { name: 'search among open threads', budget, ask: (n) => list({ q: `case-${(n * 35) % count}` }) },
    {
      name: 'search for whom a seventh is assigned to',
      budget,
      ask: () => list({ status: 'all', q: 'mia' }),
    },
    {
      name: 'search for what a fifth has',
      budget,
      ask: (n) => list({ status: 'all', q: subjects[n % 5]?.toLowerCase() }),
    },
    {
      name: 'search for two letters within a category',
      budget,
      ask: (n) => list({ status: 'all', category: categories[n % 5], q: ['q1', 'ph', 't1'][n % 3] }),
    },
    {
      name: 'search after another process changed a thread',
      budget,
      ask: async (n) => {
        const changed = `versions.${placeOf((n * 37) % count).block}`;
        await versions.updateOne({ _id: project }, { $inc: { [changed]: 1 } });
        return list({ status: 'all', q: `case-${(n * 37) % count}` });
      },
    },
    {
      name: 'search for a number',
      budget,
      ask: (n) => list({ status: 'all', q: `#${1 + ((n * 41) % count)}` }),
    },
    {
      name: 'a thread with its replies',
      budget,
      ask: async (n) => {
        const id = newest[n % newest.length] ?? '';
        return Promise.all([forum.read(project, id), forum.replies(project, id, { skip: 0, limit: 100 })]);
      },
    },
    {
      name: 'mentions, newest 50 and counts',
      budget,
      ask: (n) =>
        notifications.inboxes.list(
          { userId: userNamed(READER), projectId: project },
          { unread_only: n % 2 === 1, skip: 0, limit: 50 },
        ),
    },
    {
      name: 'mentions, unread count',
      budget,
      ask: () => notifications.inboxes.countUnread({ userId: userNamed(READER), projectId: project }),
    },
  ];
}

/**
 * Lists, search and counts of a forum with 100,000 posts, half of them replies.
 * @param store process id of the store, whose processor time is reported after that of this process; 0 for none
 */
export async function benchForumReads(small: boolean, store: number): Promise<Figure[]> {
  const lab = await openLaboratory();
  try {
    const count = small ? FEW_THREADS : THREADS;
    const project = newProjectId();
    const began = Date.now();
    const newest = await fill(lab, project, count);
    const seconds = Math.round((Date.now() - began) / 1000);
    const requestedAt = performance.now();
    await lab.areas.forum.list(project, threadQuery.parse({ q: 'superfluid' }));
    return [
      { name: `${2 * count} forum posts filled in`, value: `${seconds} s` },
      { name: 'first search of a process', value: `${(performance.now() - requestedAt).toFixed(0)} ms` },
      ...(await timeReads(readsOf(lab, { project, newest, count }), {
        small,
        pids: [process.pid, store].filter((pid) => pid > 0),
      })),
    ];
  } finally {
    await lab.close();
  }
}
