import type { ReplyDocument, ThreadDocument, ThreadQuery } from '../../shared/domain/forum/model.ts';
import { threadQuery } from '../../shared/domain/forum/model.ts';
import { gramsOf } from '../../shared/domain/forum/search-rules.ts';
import { keyOf, newId } from '../../shared/kernel/ids.ts';
import { type Laboratory, openLaboratory } from '../../test/support/laboratory.ts';
import type { Figure } from './figure.ts';
import { type Read, timeReads } from './timed-reads.ts';

/** Threads; as many replies, all to the newest tenth. */
const THREADS = 50_000;
const FEW_THREADS = 500;
/** Documents of one insert. */
const BATCH = 1000;
const QUBITS = 144;

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

/** Thread number `number`: subjects, categories and qubits take turns; every fifth is open. */
function threadOf(project_id: string, number: number): ThreadDocument {
  const id = newId();
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
    user_id: 'user',
    username: 'tom',
    content_blocks: [],
    is_deleted: false,
    is_ai_reply: false,
    created_at: at,
    updated_at: at,
    ...fields,
    number,
    revision: 0,
    grams: gramsOf(fields),
  };
}

async function fill({ database: { db } }: Laboratory, project: string, count: number): Promise<string[]> {
  const threads = db.collection<ThreadDocument>('forum_threads');
  const replies = db.collection<ReplyDocument>('forum_replies');
  const newest: string[] = [];
  for (let first = 1; first <= count; first += BATCH) {
    const length = Math.min(BATCH, count - first + 1);
    const made = Array.from({ length }, (_, offset) => threadOf(project, first + offset));
    await threads.insertMany(made, { ordered: false });
    newest.push(...made.filter(({ number }) => number > count * 0.9).map(({ id }) => id));
  }
  for (let first = 0; first < count; first += BATCH) {
    const made = Array.from({ length: Math.min(BATCH, count - first) }, (_, offset): ReplyDocument => {
      const id = newId();
      const at = new Date(Date.UTC(2026, 6, 1) + (first + offset) * 1000);
      return {
        _id: keyOf(project, id),
        project_id: project,
        id,
        parent_id: newest[(first + offset) % newest.length] ?? '',
        user_id: 'user',
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
  }
  return newest;
}

/** What clients ask of a forum; each list brings its count. */
function readsOf(
  { areas: { forum } }: Laboratory,
  filled: { project: string; newest: string[]; count: number },
): Read[] {
  const { project, newest, count } = filled;
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
    {
      name: 'search for what a fifth has',
      ask: (n) => list({ status: 'all', q: subjects[n % 5]?.toLowerCase() }),
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
  ];
}

/** Lists, search and counts of a forum of 100,000 posts, half of them replies. */
export async function benchForumReads(small: boolean): Promise<Figure[]> {
  const lab = await openLaboratory();
  try {
    const count = small ? FEW_THREADS : THREADS;
    const project = newId();
    const began = Date.now();
    const newest = await fill(lab, project, count);
    return [
      { name: `${2 * count} forum posts filled in`, value: `${Math.round((Date.now() - began) / 1000)} s` },
      ...(await timeReads(readsOf(lab, { project, newest, count }), small)),
    ];
  } finally {
    await lab.close();
  }
}
