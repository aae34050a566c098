import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import type { SignIn } from '../../shared/domain/accounts/index.ts';
import type { Settings } from '../../shared/domain/settings.ts';
import { consolePathOf } from '../../shared/kernel/console-settings.ts';
import { CalibronError } from '../../shared/kernel/errors.ts';
import { cookieOf } from '../plugins/cookies.ts';
import { isFromOwnPage } from './own-page-rules.ts';

/** Where the console reaches the routes of the API: `/console/api/chips` is `/chips` with the session of the console. */
const PREFIX = '/console/api';
const COOKIE = 'calibron_console';
/** The route that every way of signing in ends with, except that of an identity provider. */
const SIGN_IN = '/auth/login';
/** Routes that revoke the presented token. */
const SIGN_OUT: readonly string[] = ['/auth/logout', '/auth/oidc/logout'];

const consoleRequests = new WeakSet<IncomingMessage>();

/**
 * The address of the route for an address under the console's prefix. The request is remembered: only such a request uses
 * the session, and it uses no other token.
 */
export function routeOfConsole(request: IncomingMessage): string {
  const url = request.url ?? '/';
  if (!url.startsWith(`${PREFIX}/`)) return url;
  consoleRequests.add(request);
  return url.slice(PREFIX.length);
}

export interface ConsoleSessionOptions {
  signIn: Pick<SignIn, 'readToken'>;
  settings: Pick<Settings, 'PUBLIC_URL'>;
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Stores a token as the session of the console in the browser that receives the answer. */
    openConsoleSession(request: FastifyRequest, reply: FastifyReply, accessToken: string): Promise<void>;
  }
}

/**
 * The session of the web console: an access token in a cookie that no script can read and that the browser sends to the
 * console's prefix only. A request under the prefix comes from a page of this origin, or it is refused.
 */
export const consoleSession = fastifyPlugin(
  async (app: FastifyInstance, { signIn, settings }: ConsoleSessionOptions) => {
    const path = `${consolePathOf(settings)}api`;
    const publicOrigin = settings.PUBLIC_URL === undefined ? undefined : new URL(settings.PUBLIC_URL).origin;

    const setCookie = (request: FastifyRequest, reply: FastifyReply, value: string, seconds: number) => {
      const isSecure = publicOrigin?.startsWith('https:') ?? request.protocol === 'https';
      const attributes = `Path=${path}; HttpOnly; SameSite=Strict; Max-Age=${seconds}${isSecure ? '; Secure' : ''}`;
      void reply.header('set-cookie', `${COOKIE}=${value}; ${attributes}`);
    };

    app.decorate(
      'openConsoleSession',
      async (request: FastifyRequest, reply: FastifyReply, accessToken: string) => {
        const token = await signIn.readToken(`Bearer ${accessToken}`);
        const seconds = token ? Math.floor((token.expires_at.getTime() - Date.now()) / 1000) : 0;
        setCookie(request, reply, accessToken, seconds);
      },
    );

    app.addHook('onRequest', async (request) => {
      if (!consoleRequests.has(request.raw)) return;
      const { method, headers, protocol, host } = request;
      if (!isFromOwnPage({ method, headers, origins: [publicOrigin, `${protocol}://${host}`] })) {
        throw new CalibronError(
          'forbidden',
          'Only pages of the console may use its session; programs use the API without /console/api, with an access token.',
        );
      }
      const token = cookieOf(request, COOKIE);
      headers.authorization = token === undefined ? undefined : `Bearer ${token}`;
    });

    app.addHook('preSerialization', async (request, reply, answer: unknown) => {
      if (!consoleRequests.has(request.raw) || !hasToken(answer)) return answer;
      if (request.routeOptions.url === SIGN_IN)
        await app.openConsoleSession(request, reply, answer.access_token);
      return { ...answer, access_token: '' };
    });

    app.addHook('onSend', async (request, reply) => {
      const isSignOut = SIGN_OUT.includes(request.routeOptions.url ?? '');
      if (isSignOut && reply.statusCode === 200 && consoleRequests.has(request.raw)) {
        setCookie(request, reply, '', 0);
      }
    });
  },
  { name: 'console-session' },
);

function hasToken(answer: unknown): answer is { access_token: string } {
  return (
    typeof answer === 'object' &&
    answer !== null &&
    'access_token' in answer &&
    typeof answer.access_token === 'string'
  );
}
