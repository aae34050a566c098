import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addVariable, hdf5 } from '../support/netcdf-files.ts';
import { repetitions } from '../support/repetitions.ts';
import {
  choices,
  codeFor,
  createRequests,
  damaged,
  type Operation,
  operationsOf,
} from './fuzzed-requests.ts';
import { type Answer, type Api, type Call, type Person, startApi } from './harness.ts';
import { hostileTexts } from './hostile-values.ts';
import { type Laboratory, makeLaboratory } from './laboratory.ts';
import { type Known, liveIn } from './lived-in.ts';

/** Another seed makes other requests: `FUZZ_SEED=7 npm run fuzz`. */
const SEED = process.env['FUZZ_SEED'] ?? '1';
const REQUESTS = repetitions({ quick: 3, soak: 40 });
const FLOWS = repetitions({ quick: 12, soak: 100 });
const FILES = repetitions({ quick: 20, soak: 200 });
const AT_ONCE = 6;
/** Milliseconds after which a request counts as hanging, and a health probe as one that nobody waits for. */
const HANG = 30_000;
const DEAF = 5000;
/** Milliseconds for all requests of a test. */
const TEST_LIMIT = repetitions({ quick: 240_000, soak: 3_600_000 });
/** Codes of 503 that are right here: nobody updates this installation, and it has no language model. */
const NOT_SET_UP = ['updater_unavailable', 'ai_disabled'];
/** Its answer goes on for as long as the run does. */
const ENDLESS = 'watch_execution';

let api: Api;
let owner: Person;
let viewer: Person;
let admin: Person;
let lab: Laboratory;
let known: Known;
let probing = true;
let slowestProbe = 0;
let probes: Promise<void>;
/** Those of both interfaces, with the document that describes them. */
let operations: (Operation & { document: object })[];

beforeAll(async () => {
  api = await startApi({
    engine: 'prepared',
    environment: {
      RATE_LIMIT_TOKEN: '1000000',
      RATE_LIMIT_USER: '1000000',
      RATE_LIMIT_ADDRESS: '1000000',
      PROJECTS_PER_USER: '100000',
    },
  });
  await freshPeople();
  operations = [api.server.swagger(), api.server.earlierDocument()]
    .flatMap((document) => operationsOf(document).map((operation) => ({ document, ...operation })))
    .filter(({ operationId }) => operationId !== ENDLESS)
    // What there is, is requested before it is deleted.
    .sort((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'));
  probes = probe();
});
afterAll(async () => {
  probing = false;
  await probes;
  await api.close();
});

/** An owner and a viewer with a project in which people have left something, and an administrator. */
async function freshPeople(): Promise<void> {
  [owner, viewer, admin] = await Promise.all([
    api.makePerson(),
    api.makePerson(),
    api.makePerson({ system_role: 'admin' }),
  ]);
  lab = await makeLaboratory(api, owner, viewer);
  known = await liveIn(api, lab, { owner, viewer });
}

/** Asks for the service's health all the time. */
async function probe(): Promise<void> {
  while (probing) {
    const began = performance.now();
    const { status } = await api.call('/healthz');
    slowestProbe = Math.max(
      slowestProbe,
      status === 200 ? performance.now() - began : Number.POSITIVE_INFINITY,
    );
    await wait(20);
  }
}

/** What is wrong with how a request was answered; null when nothing is. */
async function fault(url: string, call: Call, ask: () => Promise<Answer>): Promise<string | null> {
  const said = `${call.method} ${url.slice(0, 300)} ${(call.text ?? '').slice(0, 300)}`;
  try {
    const answer = await Promise.race([ask(), wait(HANG, null, { ref: false })]);
    if (!answer) return `hangs: ${said}`;
    if (answer.status === 503 && NOT_SET_UP.some((code) => answer.text.includes(`"${code}"`))) return null;
    return answer.status >= 500 ? `${answer.status}: ${said} → ${answer.text.slice(0, 200)}` : null;
  } catch (thrown) {
    return `${thrown instanceof Error ? thrown.message.slice(0, 600) : String(thrown)}: ${said}`;
  }
}

/** Does the work for each number, a few at a time, and collects what is wrong. */
async function faultsOf(count: number, work: (number: number) => Promise<string | null>): Promise<string[]> {
  const faults: string[] = [];
  let next = 0;
  const one = async () => {
    while (next < count) {
      const number = next;
      next += 1;
      const found = await work(number);
      if (found !== null) faults.push(found);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  return faults;
}

test('whatever the schema allows or does not, on every route, is answered, and as openapi.json says', {
  timeout: TEST_LIMIT,
}, async () => {
  const faults: string[] = [];
  for (const operation of operations) {
    const requestFor = createRequests(operation.document, {
      ...known,
      project_id: [lab.project],
      chip_id: ['CHIP'],
      username: [owner.username],
      name: ['rabi'],
      flow_name: ['rabi'],
      qid: ['0', '1'],
      coupling_id: ['0-1'],
      task: ['CheckT1'],
      task_name: ['CheckT1'],
    });
    const found = await faultsOf(REQUESTS, async (number) => {
      const choose = choices(SEED, operation.operationId, String(number));
      const [url, call] = requestFor(choose, operation);
      const who = choose.oneOf(['owner', 'owner', 'owner', 'admin', 'nobody']);
      const asker = who === 'nobody' ? api.call : api.as(who === 'owner' ? owner : admin, lab.project);
      return fault(url, call, () => asker(url, call));
    });
    faults.push(...found);
    // A request may have ended who made it.
    const alive = await Promise.all([
      lab.as(`/projects/${lab.project}`),
      api.as(admin)('/admin/projects?limit=1'),
    ]);
    if (alive.some(({ status }) => status !== 200)) await freshPeople();
  }
  expect(faults).toEqual([]);
});

test('a flow with anything in it is saved or refused', { timeout: TEST_LIMIT }, async () => {
  const faults = await faultsOf(FLOWS, async (number) => {
    const choose = choices(SEED, 'flow', String(number));
    const code = number % 4 === 0 ? codeFor(choose) + codeFor(choose) : codeFor(choose);
    const body = { name: `fuzz_${number % 7}`, code, chip_id: 'CHIP', flow_function_name: 'flow' };
    const call = { method: 'POST', text: JSON.stringify(body) } as const;
    return fault('/flows', call, () => lab.as('/flows', { method: 'POST', body }));
  });
  expect(faults).toEqual([]);
});

describe('files', { timeout: TEST_LIMIT }, () => {
  test('of raw data that are damaged in any way are shown or refused', async () => {
    const folder = join(api.settings.CALIB_DATA_PATH, lab.project, 'CHIP', '20260102', '000', 'raw_data');
    await mkdir(folder, { recursive: true });
    const whole = await hdf5((file) => addVariable(file, 'data', [1, 2, 3, 4], { shape: [2, 2] }));
    const faults = await faultsOf(FILES, async (number) => {
      const path = join(folder, `${number}.nc`);
      await writeFile(path, damaged(choices(SEED, 'file', String(number)), whole));
      const query = { path };
      return fault(path, { method: 'GET' }, () => lab.as('/executions/artifact/preview', { query }));
    });
    expect(faults.filter((each) => !each.startsWith('429'))).toEqual([]);
  });

  test('of the configuration and of accounts with anything in them are taken or refused', async () => {
    const boundary = 'fuzz';
    const faults = await faultsOf(FILES, async (number) => {
      const choose = choices(SEED, 'text', String(number));
      const pieces = Array.from({ length: 1 + (number % 20) }, () =>
        choose.oneOf([
          ...hostileTexts,
          'username',
          ',',
          ':',
          '- ',
          '\n',
          '"',
          '{',
          ']',
          '&a ',
          '*a',
          '!!js ',
          '|\n',
        ]),
      );
      const content = pieces.join('');
      if (number % 2 === 0) {
        const path = `${choose.oneOf(['a', 'b/c', ...hostileTexts])}.yaml`;
        const call = { method: 'PUT', body: { path, content } } as const;
        return fault(path, { ...call, text: content }, () => api.as(owner)('/files/content', call));
      }
      const text = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\n${content}\r\n--${boundary}--\r\n`;
      const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
      const call = { method: 'POST', text, headers } as const;
      return fault('/admin/users/bulk-import', call, () => api.as(admin)('/admin/users/bulk-import', call));
    });
    expect(faults).toEqual([]);
  });
});

test('meanwhile the service answered health checks', () => {
  expect(slowestProbe).toBeGreaterThan(0);
  expect(slowestProbe).toBeLessThan(DEAF);
});
