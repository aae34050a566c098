import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { menuBody } from '../../shared/domain/menus/model.ts';
import { newId } from '../../shared/kernel/ids.ts';
import { type MongoProxy, openMongoProxy, type ProxiedCommand } from '../support/mongo-proxy.ts';
import { agentPolicy } from '../support/stored-results.ts';
import { type Answer, type Api, type Call, type Person, startApi } from './harness.ts';
import { code, type Laboratory, makeLaboratory } from './laboratory.ts';
import { type Known, liveIn } from './lived-in.ts';

/** The smallest picture, in a form as browsers send it. */
function uploadForm(): { bytes: Buffer; headers: Record<string, string> } {
  const picture = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  const head = 'content-disposition: form-data; name="file"; filename="a.png"\r\ncontent-type: image/png';
  return {
    bytes: Buffer.concat([Buffer.from(`--xyz\r\n${head}\r\n\r\n`), picture, Buffer.from('\r\n--xyz--\r\n')]),
    headers: { 'content-type': 'multipart/form-data; boundary=xyz' },
  };
}

interface Place {
  api: Api;
  proxy: MongoProxy;
  laboratory: Laboratory;
  owner: Person;
  administrator: Person;
  known: Known;
}

/** One creation: what is asked for, and the collection in which one more document is expected. */
interface Creation {
  route: string;
  collection: string;
  /** Its key is a name that the client chose: asking again finds what is there, so it is not repeated here. */
  named?: true;
  ask(place: Place, name: string): Promise<Answer>;
}

const post = ({ laboratory }: Place, url: string, body: unknown = {}, more: Call = {}) =>
  laboratory.as(url, { method: 'POST', body, ...more });
const put = ({ laboratory }: Place, url: string, body: unknown) =>
  laboratory.as(url, { method: 'PUT', body });
const first = (place: Place, name: string) => place.known[name]?.[0] ?? '';

const thread = { category: 'qubit', title: 'A title', content: 'A text' };
const note = { content: 'A note' };
const menu = menuBody.parse({ name: 'menu', schedule: '0', tasks: ['CheckT1'] });

const creations: Creation[] = [
  {
    route: 'POST /projects',
    collection: 'projects',
    ask: (at, name) => at.api.as(at.owner)('/projects', { method: 'POST', body: { name } }),
  },
  {
    route: 'POST /auth/register',
    collection: 'users',
    ask: (at, name) =>
      at.api.as(at.administrator)('/auth/register', { method: 'POST', body: { username: name } }),
  },
  {
    route: 'POST /projects/:project_id/members',
    named: true,
    collection: 'memberships',
    async ask(at) {
      const { username } = await at.api.makePerson();
      return at.laboratory.as(`/projects/${at.laboratory.project}/members`, {
        method: 'POST',
        body: { username, role: 'viewer' },
      });
    },
  },
  {
    route: 'POST /admin/projects/:project_id/members',
    named: true,
    collection: 'memberships',
    async ask(at) {
      const { username } = await at.api.makePerson();
      return at.api.as(at.administrator)(`/admin/projects/${at.laboratory.project}/members`, {
        method: 'POST',
        body: { username, role: 'viewer' },
      });
    },
  },
  {
    route: 'POST /chips',
    collection: 'chips',
    ask: (at, name) => post(at, '/chips', { chip_id: name, size: 4 }),
  },
  {
    route: 'POST /flows',
    named: true,
    collection: 'flows',
    ask: (at, name) =>
      post(at, '/flows', {
        name: name.replaceAll('-', '_'),
        code: code.replaceAll('rabi', name.replaceAll('-', '_')),
        chip_id: 'CHIP',
      }),
  },
  {
    route: 'POST /cryostats',
    collection: 'cryostats',
    ask: (at, name) => post(at, '/cryostats', { cryo_id: name }),
  },
  {
    route: 'POST /cooldowns',
    collection: 'cooldowns',
    async ask(at, name) {
      await post(at, '/cryostats', { cryo_id: `of-${name}` });
      return post(at, '/cooldowns', {
        cooldown_id: name,
        cryo_id: `of-${name}`,
        started_at: '2026-01-01T00:00:00Z',
      });
    },
  },
  {
    route: 'POST /cooldowns/:cooldown_id/wiring-checkpoint',
    collection: 'wiring_events',
    ask: (at) => post(at, '/cooldowns/CD/wiring-checkpoint', { comment: 'as it is' }),
  },
  {
    route: 'POST /forum/categories',
    collection: 'forum_categories',
    ask: (at, name) => post(at, '/forum/categories', { key: name, name }),
  },
  {
    route: 'POST /forum/posts (a thread)',
    collection: 'forum_threads',
    ask: (at) => post(at, '/forum/posts', thread),
  },
  {
    route: 'POST /forum/posts (a reply)',
    collection: 'forum_replies',
    ask: (at) =>
      post(at, '/forum/posts', { category: 'qubit', content: 'A reply', parent_id: first(at, 'post_id') }),
  },
  {
    route: 'POST /forum/upload-image',
    collection: 'images',
    ask: (at) => at.laboratory.as('/forum/upload-image', { method: 'POST', ...uploadForm() }),
  },
  {
    route: 'POST /issues/upload-image',
    collection: 'images',
    ask: (at) => at.laboratory.as('/issues/upload-image', { method: 'POST', ...uploadForm() }),
  },
  {
    route: 'POST /task-results/:task_id/issues (an issue)',
    collection: 'issues',
    ask: (at) =>
      post(at, `/task-results/${first(at, 'task_id')}/issues`, { title: 'Short', content: 'Why?' }),
  },
  {
    route: 'POST /chips/:chip_id/qubits/:qid/note/comments',
    collection: 'note_comments',
    ask: (at) => post(at, '/chips/CHIP/qubits/0/note/comments', note),
  },
  {
    route: 'POST /chips/:chip_id/couplings/:coupling_id/note/comments',
    collection: 'note_comments',
    ask: (at) => post(at, '/chips/CHIP/couplings/0-1/note/comments', note),
  },
  {
    route: 'PUT /chips/:chip_id/qubits/:qid/note',
    collection: 'note_events',
    ask: (at, name) => put(at, '/chips/CHIP/qubits/1/note', { content: name }),
  },
  {
    route: 'PUT /chips/:chip_id/note',
    collection: 'note_events',
    ask: (at, name) => put(at, '/chips/CHIP/note', { content: name }),
  },
  {
    route: 'POST /copilot/chat/sessions',
    collection: 'chat_sessions',
    ask: (at, name) => post(at, '/copilot/chat/sessions', { session_id: name }),
  },
  {
    route: 'POST /agent-sessions',
    collection: 'agent_sessions',
    ask: (at) =>
      post(at, '/agent-sessions', { chip_id: 'CHIP', policy: agentPolicy, model_name: 'scripted' }),
  },
  {
    route: 'PATCH /calibrations/parameters',
    collection: 'manual_edits',
    ask: (at) =>
      at.laboratory.as('/calibrations/parameters', {
        method: 'PATCH',
        body: { chip_id: 'CHIP', qid: '2', parameters: { t1: 40 } },
      }),
  },
  {
    route: 'POST /flows/:name/schedule',
    collection: 'schedules',
    async ask(at, name) {
      const flow = name.replaceAll('-', '_');
      await post(at, '/flows', { name: flow, code: code.replaceAll('rabi', flow), chip_id: 'CHIP' });
      return post(at, `/flows/${flow}/schedule`, { cron: '0 3 * * *' });
    },
  },
  {
    route: 'POST /flows/:name/execute',
    collection: 'execution_requests',
    async ask(at) {
      const answer = await at.laboratory.execute({});
      await at.laboratory.free();
      return answer;
    },
  },
  {
    route: 'POST /flows/:name/execute with a key',
    collection: 'idempotency_keys',
    async ask(at, name) {
      const answer = await at.laboratory.execute({}, { 'idempotency-key': name });
      await at.laboratory.free();
      return answer;
    },
  },
  {
    route: 'POST /tasks/:task_name/execute',
    collection: 'execution_requests',
    async ask(at) {
      const answer = await post(at, '/tasks/CheckT1/execute', {
        chip_id: 'CHIP',
        qid: '0',
        backend_name: 'simulator',
      });
      await at.laboratory.free();
      return answer;
    },
  },
  {
    route: 'POST /api/menu',
    collection: 'menus',
    ask: (at, name) => post(at, '/api/menu', { ...menu, name }),
  },
];

async function open(replicaSet: boolean): Promise<Place> {
  const proxy = await openMongoProxy(inject('mongodb'), { replicaSet });
  const api = await startApi({ engine: 'prepared', environment: { MONGODB_URI: proxy.uri } });
  const [owner, viewer, administrator] = await Promise.all([
    api.makePerson(),
    api.makePerson(),
    api.makePerson({ system_role: 'admin' }),
  ]);
  const laboratory = await makeLaboratory(api, owner, viewer);
  const known = await liveIn(api, laboratory, { owner, viewer });
  return { api, proxy, laboratory, owner, administrator, known };
}

/** Loses the answer of one of the writes that a request makes. @param which counts from 0 */
function losing(which: number, isWrite: (command: ProxiedCommand) => string | null) {
  const writes = new Set<string>();
  let lost = false;
  return {
    happened: () => lost,
    decide(command: ProxiedCommand) {
      const key = isWrite(command);
      if (key === null || writes.has(key)) return 'pass' as const;
      writes.add(key);
      if (writes.size !== which + 1) return 'pass' as const;
      lost = true;
      return 'lose' as const;
    },
  };
}

/** Identifies a write that the driver may repeat; null for other commands. */
function retryable({ body }: ProxiedCommand): string | null {
  return body['txnNumber'] === undefined ? null : `${body['lsid'].id.toString('hex')} ${body['txnNumber']}`;
}

/** Asks for a creation while an answer is lost, and expects it to succeed once. @returns whether one was lost */
async function createWithLoss(
  place: Place,
  { collection, ask }: Creation,
  which: number,
  isWrite: (command: ProxiedCommand) => string | null,
): Promise<boolean> {
  const documents = place.api.database.db.collection(collection);
  const before = await documents.countDocuments();
  const loss = losing(which, isWrite);
  place.proxy.decide(loss.decide);
  const answer = await ask(place, `n-${newId().slice(0, 8)}`);
  place.proxy.decide();
  const isMade = answer.status >= 200 && answer.status < 300;
  expect({ which, isMade, status: answer.status, body: answer.body }).toMatchObject({ isMade: true });
  expect(await documents.countDocuments()).toBe(before + 1);
  return loss.happened();
}

describe.each([true, false])('with a replica set: %s', (replicaSet) => {
  let place: Place;
  beforeAll(async () => {
    place = await open(replicaSet);
  });
  afterAll(async () => {
    place.proxy.decide();
    await place.api.close();
    await place.proxy.close();
  });

  if (replicaSet) {
    test.each(creations)(
      '$route makes one thing, whichever of its writes loses its answer',
      async (creation) => {
        let writes = 0;
        while (await createWithLoss(place, creation, writes, retryable)) writes += 1;
        expect(writes).toBeGreaterThan(0);
      },
    );
  } else {
    const keyed = creations.filter(({ named }) => !named);
    test.each(keyed)(
      '$route makes one thing when the write that makes it loses its answer',
      async (creation) => {
        const isCreation = ({ name, collection }: ProxiedCommand) =>
          name === 'insert' && collection === creation.collection ? collection : null;
        expect(await createWithLoss(place, creation, 0, isCreation)).toBe(true);
      },
    );
  }
});
