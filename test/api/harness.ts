import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import bcrypt from 'bcrypt';
import type { FastifyInstance } from 'fastify';
import { expect } from 'vitest';
import { z } from 'zod';
import type { UserDocument } from '../../shared/domain/accounts/model.ts';
import { newUser } from '../../shared/domain/administration/index.ts';
import { domain } from '../../shared/domain/areas.ts';
import type { ErrorCode } from '../../shared/domain/errors.ts';
import type { MembershipDocument, ProjectRole } from '../../shared/domain/projects/model.ts';
import { readSettings } from '../../shared/domain/settings.ts';
import { connectDatabase } from '../../shared/kernel/database.ts';
import { prepareEngine } from '../../shared/kernel/engine/prepare.ts';
import { connectEngine, engineAccess } from '../../shared/kernel/engine/temporal.ts';
import { keyOf, type ProjectId, projectIdSchema } from '../../shared/kernel/ids.ts';
import { ensureIndexes } from '../../shared/kernel/index-builds.ts';
import { createLog } from '../../shared/kernel/log.ts';
import { newId } from '../../shared/kernel/new-ids.ts';
import { buildCheckedServer } from '../support/documented-answers.ts';
import { userNamed } from '../support/ids.ts';
import { watchIndexUse } from '../support/index-coverage.ts';
import { addSmallTopology } from '../support/own-topologies.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS';

export interface Call {
  method?: Method;
  /** JSON body. */
  body?: unknown;
  /** Body exactly as it goes over the wire. */
  text?: string;
  /** Body as bytes. */
  bytes?: Buffer;
  query?: Record<string, string | string[]>;
  headers?: Record<string, string>;
  /** Address that the request comes from. */
  from?: string;
}

export interface Answer {
  status: number;
  headers: Record<string, unknown>;
  text: string;
  bytes: Buffer;
  /** The JSON body; an empty body is null. */
  body: unknown;
}

export interface Person {
  id: string;
  username: string;
  password: string;
  token: string;
}

function fromEnvironment(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set; run the tests with npm test`);
  return value;
}

/** bcrypt is slow on purpose: who does not ask for another password has a hash that is as cheap as one can be. */
const commonPassword = 'correct horse battery';
const CHEAPEST_COST = 4;
const commonHash = bcrypt.hash(commonPassword, CHEAPEST_COST);

export type Api = Awaited<ReturnType<typeof startApi>>;

/** The real server over the real database, in a database of its own. */
export async function startApi(
  options: {
    environment?: Record<string, string>;
    engine?: 'prepared' | 'as it is';
    /** `empty` leaves out the topology of small chips, the only file of the lab's own. */
    configuration?: 'empty';
  } = {},
) {
  const directory = await mkdtemp(join(tmpdir(), 'calibron-api-'));
  const name = `api_${newId().slice(0, 8)}`;
  const settings = readSettings({
    DATA_DIR: directory,
    MONGODB_URI: fromEnvironment('CALIBRON_TEST_MONGODB'),
    MONGODB_DATABASE: name,
    TEMPORAL_ADDRESS: fromEnvironment('CALIBRON_TEST_TEMPORAL'),
    TEMPORAL_NAMESPACE: options.engine === 'prepared' ? name : 'default',
    ...options.environment,
  });
  if (options.configuration !== 'empty') await addSmallTopology(settings.CONFIG_PATH);
  const database = await connectDatabase(settings.MONGODB_URI, settings.MONGODB_DATABASE);
  await ensureIndexes(database, domain.collections);
  const engine = connectEngine(await engineAccess(settings));
  if (options.engine === 'prepared') await prepareEngine(engine);
  // The server has a connection of its own, so that only its questions are watched, not those of the tests.
  const watched = await connectDatabase(settings.MONGODB_URI, settings.MONGODB_DATABASE, {
    monitorCommands: true,
  });
  const indexUse = watchIndexUse(watched.client, domain.collections);
  const log = createLog('test', 'silent');
  const server = await buildCheckedServer({ settings, database: watched, engine, log });
  const { areas, close: closeAreas } = domain.open({ db: database.db, engine, settings, log });
  const users = database.db.collection<UserDocument>('users');

  async function signIn(username: string, password: string): Promise<string> {
    const answer = await call(server, '/auth/login', {
      method: 'POST',
      text: new URLSearchParams({ username, password }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    return z.object({ access_token: z.string() }).parse(answer.body).access_token;
  }

  return {
    settings,
    database,
    /** The server's connection to the store, which tells of its commands. */
    watched,
    engine,
    /** The service's own operations, for what tests must do behind its back. */
    areas,
    server,
    directory,
    users,
    signIn,

    /** A request without a token. */
    call: (url: string, given?: Call) => call(server, url, given),

    /** Makes an account and logs it in. */
    async makePerson(fields: Partial<UserDocument> & { password?: string } = {}): Promise<Person> {
      const { password = commonPassword, ...given } = fields;
      const user = newUser({
        username: `user-${newId().slice(0, 8)}`,
        must_change_password: false,
        hashed_password:
          password === commonPassword ? await commonHash : await areas.accounts.passwords.hash('', password),
        ...given,
      });
      await users.insertOne(user);
      const token = await signIn(user.username, password);
      return { id: user._id, username: user.username, password, token };
    },

    /** Makes a project of this owner and returns its id. */
    async makeProject(owner: Person, projectName = `project ${newId().slice(0, 8)}`): Promise<ProjectId> {
      const answer = await callAs(server, owner)('/projects', {
        method: 'POST',
        body: { name: projectName },
      });
      return z.object({ project_id: projectIdSchema }).parse(answer.body).project_id;
    },

    /** Makes somebody a member of a project. */
    async addMember(
      projectId: ProjectId,
      person: Person,
      role: ProjectRole,
      status: MembershipDocument['status'] = 'active',
    ): Promise<void> {
      await database.db.collection<MembershipDocument>('memberships').insertOne({
        _id: keyOf(projectId, person.id),
        project_id: projectId,
        user_id: userNamed(person.id),
        role,
        status,
        invited_by_user_id: null,
        last_accessed_at: null,
        created_at: new Date(),
      });
    },

    /** Requests with a person's token, in a project when one is given. */
    as: (person: Person, projectId?: string) => callAs(server, person, projectId),

    /** A second server over the same store, for which the engine does not answer; the caller closes it. */
    async withoutEngine(): Promise<{ server: FastifyInstance; close(): Promise<void> }> {
      const away = connectEngine(await engineAccess({ ...settings, TEMPORAL_ADDRESS: '127.0.0.1:1' }));
      const without = await buildCheckedServer({ settings, database, engine: away, log });
      return {
        server: without,
        async close() {
          await without.close();
          await away.close();
        },
      };
    },

    async close(): Promise<void> {
      const closing = server.close();
      // A client in the test's own process may keep a connection, for which Node.js would wait 72 s.
      server.server.closeAllConnections();
      await closing;
      await closeAreas();
      await watched.close();
      await database.db.dropDatabase();
      await database.close();
      await engine.close();
      await rm(directory, { recursive: true, force: true });
      expect([...indexUse.breaches], 'every question of the server is served by an index').toEqual([]);
    },
  };
}

function callAs(server: FastifyInstance, person: Person, projectId?: string) {
  const identity: Record<string, string> = { authorization: `Bearer ${person.token}` };
  if (projectId !== undefined) identity['x-project-id'] = projectId;
  return (url: string, given: Call = {}) =>
    call(server, url, { ...given, headers: { ...identity, ...given.headers } });
}

async function call(server: FastifyInstance, url: string, given: Call = {}): Promise<Answer> {
  const json = given.body === undefined ? undefined : JSON.stringify(given.body);
  const method = given.method ?? 'GET';
  const response = await server.inject({
    method,
    url,
    ...(given.query && { query: given.query }),
    ...(given.from && { remoteAddress: given.from }),
    headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...given.headers },
    payload: json ?? given.text ?? given.bytes,
  });
  const contentType = String(response.headers['content-type']);
  const isJson = contentType.startsWith('application/json');
  return {
    status: response.statusCode,
    headers: response.headers,
    text: response.body,
    bytes: response.rawPayload,
    body: isJson && response.body !== '' ? JSON.parse(response.body) : null,
  };
}

const errorBody = z.object({ detail: z.string(), code: z.string() });
const problemBody = z.object({
  detail: z.array(z.strictObject({ type: z.string(), loc: z.array(z.unknown()), msg: z.string() })),
  code: z.literal('invalid_input'),
});

/** Checks an error answer and returns its message. */
export function expectError(answer: Answer, status: number, code: ErrorCode): string {
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status, body: { code } });
  expect(answer.headers['x-request-id']).toEqual(expect.any(String));
  if (status === 401) expect(answer.headers['www-authenticate']).toBe('Bearer');
  return errorBody.parse(answer.body).detail;
}

/** Checks a 422 answer: its problems as `type` at `loc`. */
export function expectProblems(answer: Answer, problems: [type: string, ...loc: unknown[]][]): void {
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 422 });
  const { detail } = problemBody.parse(answer.body);
  expect(detail.map(({ type, loc }) => [type, ...loc])).toEqual(problems);
}

/** Reads an answer that must have succeeded. */
export function read<T>(schema: z.ZodType<T>, answer: Answer, status = 200): T {
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status });
  return schema.parse(answer.body);
}
