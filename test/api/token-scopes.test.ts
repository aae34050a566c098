import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { namedRoutes } from '../../api/plugins/token-scopes.ts';
import {
  newProgramToken,
  type ProgramScope,
  programScopes,
} from '../../shared/domain/accounts/program-token-model.ts';
import { type Answer, type Api, type Call, type Person, read, startApi } from './harness.ts';
import { accessOf } from './permission-matrix.ts';
import { queryOf } from './required-queries.ts';

/** Making and changing credentials is for people, and so is the answer that an agent waits for. */
const FOR_PEOPLE =
  /^(?:\w+ \/auth\/(?:tokens|passkeys(?!\/sign-in))|(?:POST|PATCH|DELETE) .*(?:service-accounts|password|second-factor|register|bulk-import)|POST \/agent-sessions\/:session_id\/resume)/;
/** Starts, steers or schedules what measures, computes or asks a language model. */
const RUNS =
  /^\w+ .*(?:\/(?:execute|re-execute|retry|pause|resume|stop|cancel|schedule|codex|stream|bulk|actions|commit|apply|campaign-commits)|schedules\/:schedule_id|copilot\/(?:analyze|chat)|codex\/stream|\/api\/calibration.*)$/;
const NOT_RUNS = /system-updates|forum|^POST \/issues|^GET /;
/** Asks a question with a body. */
const ASKS =
  /^POST .*(?:candidate-gate|check-availability|validate|metrics\/pdf|device.topology|topology\/plot|figures\/download|reanalyze)/;

type Needed = ProgramScope | 'person' | 'nothing';

function neededFor(route: string): Needed {
  const access = accessOf[route];
  if (FOR_PEOPLE.test(route)) return 'person';
  if (access === 'anyone' && !/ \/(?:api\/)?(?:files?|executions)\//.test(route)) return 'nothing';
  if (access === 'measurement') return 'nothing';
  if (access === 'administrator' || access === 'owner') return 'administer';
  if (route.startsWith('GET ') || ASKS.test(route)) return 'read';
  return RUNS.test(route) && !NOT_RUNS.test(route) ? 'run' : 'operate';
}

const methods = z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);
let api: Api;
let person: Person;
let project: string;

beforeAll(async () => {
  api = await startApi();
  person = await api.makePerson({ system_role: 'admin' });
  project = await api.makeProject(person);
});
afterAll(() => api.close());

async function tokenWith(scope: ProgramScope, project_id?: string): Promise<Person> {
  const body = { name: scope, scopes: [scope], project_id };
  const made = await api.as(person)('/auth/tokens', { method: 'POST', body });
  return { ...person, token: read(newProgramToken, made, 201).token };
}

/** Asks for a route without changing anything: permission is judged before the body, and this body cannot be read. */
function ask(program: Person, route: string, inProject = project): Promise<Answer> {
  const [name, url = ''] = route.split(' ');
  const method = methods.parse(name);
  const query = queryOf[route];
  const path = url
    .replace(':project_id', inProject)
    .replace(/:[a-z_]+/g, 'unknown')
    .replace('*', 'index.html');
  const call: Call =
    method === 'GET' ? {} : { method, text: '{', headers: { 'content-type': 'application/json' } };
  return api.as(program, inProject)(query ? `${path}?${query}` : path, call);
}

const codeOf = ({ body }: Answer) => z.object({ code: z.string() }).safeParse(body).data?.code;

test.each(programScopes)(
  'a token with the scope %s may do what the scope says on every route',
  async (scope) => {
    const program = await tokenWith(scope);
    const rank = programScopes.indexOf(scope);
    for (const route of Object.keys(accessOf)) {
      const needed = neededFor(route);
      const code = codeOf(await ask(program, route));
      const refused = ['insufficient_scope', 'sign_in_required', 'admin_required', 'forbidden'].find(
        (each) => each === code,
      );
      const expected =
        needed === 'person'
          ? 'sign_in_required'
          : needed !== 'nothing' && programScopes.indexOf(needed) > rank
            ? 'insufficient_scope'
            : undefined;
      expect([route, refused]).toEqual([route, expected]);
    }
  },
);

test('a token that is limited to a project enters no other, and does nothing outside of projects', async () => {
  const other = await api.makeProject(person);
  const program = await tokenWith('administer', project);
  const mayPass =
    /^(?:GET|POST) .*(?:settings|auth|projects$|copilot|topology|metrics\/config|helpers|templates|knowledge|task-files|config\/all|files|file\/|docs|openapi|healthz|readyz|prometheus|images|figure|artifact)|^\w+ \/files\/content/;
  for (const [route, access] of Object.entries(accessOf)) {
    if (access === 'anyone' || access === 'measurement' || neededFor(route) === 'person') continue;
    const code = codeOf(await ask(program, route, other));
    if (access === 'user' && mayPass.test(route)) continue;
    expect([route, code]).toEqual([route, 'forbidden']);
  }
  const chats = await api.as(program)('/copilot/chat/sessions');
  expect([chats.status, codeOf(chats)]).toEqual([403, 'forbidden']);
  const created = await api.as(program)('/projects', { method: 'POST', body: { name: 'another' } });
  expect([created.status, codeOf(created)]).toEqual([403, 'forbidden']);
  const listed = await api.as(program)('/projects');
  expect(listed.body).toMatchObject({ total: 1, projects: [{ project_id: project }] });
});

test('rules for scopes name routes that exist', () => {
  const served = new Set(api.server.knownRoutes.all().map(({ method, url }) => `${method} ${url}`));
  expect(namedRoutes.filter((route) => !served.has(route))).toEqual([]);
});
