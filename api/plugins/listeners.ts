import type { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import type { SignIn } from '../../shared/domain/accounts/index.ts';
import type { Projects } from '../../shared/domain/projects/index.ts';
import { shareUserId } from '../../shared/kernel/sharing-accounts.ts';
import { createListeners } from '../events/listeners.ts';
import { callerOf } from './authentication.ts';
import { projectIdOf } from './project-scope.ts';

declare module 'fastify' {
  interface FastifyInstance {
    listeners: {
      /**
       * Opens a stream of events of the request's project, unless the caller has too many open. The signal passed to
       * `start` aborts when the token or the membership ends.
       * @throws too_many_requests
       */
      admit<Stream extends Readable>(
        request: FastifyRequest,
        start: (revoked: AbortSignal) => Promise<Stream | null>,
      ): Promise<Stream | null>;
    };
  }
  interface FastifyContextConfig {
    /** The request may revoke rights, so all open event streams are checked again immediately. */
    endsAccess?: boolean;
  }
}

export interface ListenerOptions {
  signIn: Pick<SignIn, 'readToken' | 'open'>;
  projects: Pick<Projects, 'enter'>;
  /** Maximum number of open streams per user. */
  perUser: number;
}

/** Event streams stay open for a long time, so token and membership are checked again while they are open. */
export const listeners = fastifyPlugin(
  async (app: FastifyInstance, { signIn, projects, perUser }: ListenerOptions) => {
    const admitted = createListeners(perUser);
    app.decorate('listeners', {
      admit(request, start) {
        const { user, token } = callerOf(request);
        const { authorization } = request.headers;
        const project = { path: projectIdOf(request), header: undefined };
        const judge = async () => {
          const caller = await signIn.open(authorization, await signIn.readToken(authorization));
          await projects.enter(caller, project, 'read');
        };
        return admitted.admit(
          { userId: shareUserId(user), key: `${token?.token_id ?? ''} ${project.path}`, judge },
          start,
        );
      },
    });
    app.addHook('onResponse', async (request) => {
      if (request.routeOptions.config.endsAccess) admitted.judgeAll();
    });
  },
  { name: 'listeners', dependencies: ['project-scope'] },
);
