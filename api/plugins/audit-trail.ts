import type { FastifyInstance, FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { usernamePattern } from '../../shared/domain/accounts/credential-rules.ts';
import type { Accounts } from '../../shared/domain/accounts/index.ts';
import type { AuditTrail } from '../../shared/domain/audit/index.ts';
import type { AuditAction, AuditDetail } from '../../shared/domain/audit/model.ts';
import { auditText } from '../../shared/domain/audit/text-rules.ts';
import { projectIdSchema } from '../../shared/kernel/ids.ts';

/** What the audit trail records of a request. Only the fields listed here are recorded. */
export interface Audited {
  action: AuditAction;
  /** Field of the response, body or query that names the object of the action. Default: the last path parameter. */
  target?: string;
  /** Fields of the response, body or query to record. */
  details?: readonly string[];
  /** Action name of a rejected attempt (401), if those are recorded too. */
  refused?: AuditAction;
  /** Body field with the caller's username, for routes where no token identifies the caller. */
  by?: string;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Audit action; null if the route has no side effects. Required for each route that takes a POST or changes something. */
    audit?: Audited | AuditAction | null;
  }
  interface FastifyRequest {
    /** The response before serialization. */
    answered: unknown;
  }
}

export interface AuditTrailOptions {
  audit: Pick<AuditTrail, 'add'>;
  users: Pick<Accounts['users'], 'find' | 'findByUsername'>;
}

/** Writes the audit entries that routes declare, before the response is sent. */
export const auditTrail = fastifyPlugin(
  async (app: FastifyInstance, { audit, users }: AuditTrailOptions) => {
    app.decorateRequest('answered', null);

    app.addHook('preSerialization', async (request, _reply, answer) => {
      if (request.routeOptions.config.audit) request.answered = answer;
      return answer;
    });

    /** The acting user, found by the token, or by the username in the body if that user exists. */
    async function actorOf({ caller, token, body }: FastifyRequest, { by }: Partial<Audited>) {
      if (by !== undefined) {
        const name = field(body, by);
        // A value that is not an existing username may be a password typed into the wrong field.
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
        project_id: projectIdSchema
          .nullable()
          .parse(
            textOrNull(
              request.projectScope?.project._id ??
                field(params, 'project_id') ??
                field(request.answered, 'project_id'),
            ),
          ),
        target: textOrNull(declared.target ? named(declared.target) : lastOf(params)),
        details: {
          ...Object.fromEntries(
            (declared.details ?? []).flatMap((name) => {
              const value = plain(named(name));
              return value === undefined ? [] : [[name, value]];
            }),
          ),
          ...(request.token?.program && { program_token: auditText(request.token.program.name) }),
        },
        address: request.ip,
        request_id: request.id,
      });
    }

    app.addHook('onSend', async (request, reply, payload) => {
      const { audit: config } = request.routeOptions.config;
      if (!config) return payload;
      const declared: Audited = typeof config === 'string' ? { action: config } : config;
      const action = actionOf(declared, reply.statusCode);
      // Without the token of a sign-in there was no session to sign out of.
      if (!action || (action === 'signed_out' && (!request.token || request.token.program))) return payload;
      await note(request, action, declared).catch((thrown) =>
        // The action has already been carried out, so the request succeeds. Log the gap in the trail.
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

/** The name given in a rejected sign-in, or null if it is not a valid username: users also type passwords there. */
function attemptedName({ body }: FastifyRequest, { by }: Partial<Audited>): string | null {
  const name = by === undefined ? null : field(body, by);
  return typeof name === 'string' && usernamePattern.test(name) ? name : null;
}

function field(from: unknown, name: string): unknown {
  if (typeof from !== 'object' || from === null) return undefined;
  return Object.getOwnPropertyDescriptor(from, name)?.value ?? undefined;
}

/** The value of the last path parameter, not counting the project. */
function lastOf(params: unknown): unknown {
  if (typeof params !== 'object' || params === null) return undefined;
  return Object.entries(params)
    .filter(([name]) => name !== 'project_id')
    .at(-1)?.[1];
}

function textOrNull(value: unknown): string | null {
  const text = Array.isArray(value) ? value.join(' ') : value;
  return typeof text === 'string' ? auditText(text) : null;
}

function plain(value: unknown): AuditDetail | undefined {
  if (typeof value === 'string') return auditText(value);
  return typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
}
