import type { FastifyInstance, FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import type { Accounts } from '../../shared/domain/accounts/index.ts';
import type { AuditTrail } from '../../shared/domain/audit/index.ts';
import type { AuditAction, AuditDetail } from '../../shared/domain/audit/model.ts';
import { usernamePattern } from '../../shared/kernel/credentials.ts';
import { beginning } from '../../shared/kernel/text.ts';

/** What the audit trail keeps of a request that was carried out. Nothing of a request gets in that is not named here. */
export interface Audited {
  action: AuditAction;
  /** The field of answer, body or query that names what it was done to; without it, the last part of the path that varies. */
  target?: string;
  /** Fields of answer, body or query that are kept. */
  details?: readonly string[];
  /** What a refused attempt (401) is called, where it counts too. */
  refused?: AuditAction;
  /** The field of the body with the username of who asks, where that is not told by the token. */
  by?: string;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How the audit trail calls this; null for what changes nothing. Each route that takes a POST or changes something says so. */
    audit?: Audited | AuditAction | null;
  }
  interface FastifyRequest {
    /** The answer before it became text. */
    answered: unknown;
  }
}

export interface AuditTrailOptions {
  audit: Pick<AuditTrail, 'add'>;
  users: Pick<Accounts['users'], 'find' | 'findByUsername'>;
}

/** Characters of a text that an entry keeps. */
const MAX_TEXT = 300;

/** Adds to the audit trail what its routes declare, before the answer leaves. */
export const auditTrail = fastifyPlugin(
  async (app: FastifyInstance, { audit, users }: AuditTrailOptions) => {
    app.decorateRequest('answered', null);

    app.addHook('preSerialization', async (request, _reply, answer) => {
      if (request.routeOptions.config.audit) request.answered = answer;
      return answer;
    });

    /** Who asks: by their token, or by their username if there is such a user. */
    async function actorOf({ caller, token, body }: FastifyRequest, { by }: Partial<Audited>) {
      if (by !== undefined) {
        const name = field(body, by);
        // What is no username may be a password in the wrong place.
        return typeof name === 'string' ? users.findByUsername(name) : null;
      }
      if (caller) return caller.user;
      return token && users.find(token.user_id);
    }

    async function note(request: FastifyRequest, action: AuditAction, declared: Partial<Audited>) {
      const actor = await actorOf(request, declared);
      const { params } = request;
      const named = (name: string) =>
        field(request.answered, name) ?? field(request.body, name) ?? field(request.query, name);
      await audit.add({
        action,
        user_id: actor?._id ?? null,
        username: actor?.username ?? attemptedName(request, declared),
        project_id: textOrNull(
          request.projectScope?.project._id ??
            field(params, 'project_id') ??
            field(request.answered, 'project_id'),
        ),
        target: textOrNull(declared.target ? named(declared.target) : lastOf(params)),
        details: Object.fromEntries(
          (declared.details ?? []).flatMap((name) => {
            const value = plain(named(name));
            return value === undefined ? [] : [[name, value]];
          }),
        ),
        address: request.ip,
        request_id: request.id,
      });
    }

    app.addHook('onSend', async (request, reply, payload) => {
      const { audit: config } = request.routeOptions.config;
      if (!config) return payload;
      const declared: Audited = typeof config === 'string' ? { action: config } : config;
      const action = actionOf(declared, reply.statusCode);
      // Nobody signed out who was not signed in.
      if (!action || (action === 'signed_out' && !request.token)) return payload;
      await note(request, action, declared).catch((thrown) =>
        // What was done is done; the log keeps that the trail has a gap.
        request.log.error({ err: thrown, action, request_id: request.id }, 'audit entry lost'),
      );
      return payload;
    });
  },
  { name: 'audit-trail', dependencies: ['project-scope'] },
);

function actionOf({ action, refused }: Audited, status: number): AuditAction | null {
  if (status < 400) return action;
  return status === 401 && refused ? refused : null;
}

/** The name of a refused sign-in where it can be a username: people type passwords there, too. */
function attemptedName({ body }: FastifyRequest, { by }: Partial<Audited>): string | null {
  const name = by === undefined ? null : field(body, by);
  return typeof name === 'string' && usernamePattern.test(name) ? name : null;
}

function field(from: unknown, name: string): unknown {
  if (typeof from !== 'object' || from === null) return undefined;
  return Object.getOwnPropertyDescriptor(from, name)?.value ?? undefined;
}

/** The value of the last part of a path that varies, the project not counted. */
function lastOf(params: unknown): unknown {
  if (typeof params !== 'object' || params === null) return undefined;
  return Object.entries(params)
    .filter(([name]) => name !== 'project_id')
    .at(-1)?.[1];
}

function textOrNull(value: unknown): string | null {
  const text = Array.isArray(value) ? value.join(' ') : value;
  return typeof text === 'string' ? shortened(text) : null;
}

function plain(value: unknown): AuditDetail | undefined {
  if (typeof value === 'string') return shortened(value);
  return typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
}

/** Short, and such as every store takes. */
function shortened(text: string): string {
  return beginning(text, MAX_TEXT).replaceAll(/\p{Control}/gu, ' ');
}
