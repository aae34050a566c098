import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { assertOfNoProject } from '../../shared/domain/accounts/program-token-rules.ts';
import type { Projects } from '../../shared/domain/projects/index.ts';
import type { Permission, ProjectScope } from '../../shared/domain/projects/model.ts';
import { CalibronError } from '../../shared/kernel/errors.ts';
import { type ProjectId, projectIdSchema } from '../../shared/kernel/ids.ts';
import { callerOf } from './authentication.ts';
import { assertScope, countsOutsideProjects } from './token-scopes.ts';

declare module 'fastify' {
  interface FastifyRequest {
    projectScope: ProjectScope | null;
  }
  interface FastifyInstance {
    /** Requires a token and a permission in the request's project. Runs before the body is read. */
    inProject(permission: Permission): onRequestAsyncHookHandler[];
    /** Requires a permission in the request's project. Runs after the caller is authenticated. */
    entersProject(permission: Permission): onRequestAsyncHookHandler;
    /** Requires a token. Sets the request's project only if there is one that the caller may read. */
    inProjectIfAny: onRequestAsyncHookHandler[];
  }
}

export interface ProjectScopeOptions {
  projects: Pick<Projects, 'enter'>;
}

/** Determines the project of a request: path, `X-Project-Id`, the user's default, or a project the user owns. */
export const projectScope = fastifyPlugin(
  async (app: FastifyInstance, { projects }: ProjectScopeOptions) => {
    app.decorateRequest('projectScope', null);
    const enters = (permission: Permission) => async (request: FastifyRequest) => {
      if (permission === 'admin') assertScope(callerOf(request), 'administer');
      const named = { path: projectInPath(request), header: projectInHeader(request) };
      request.projectScope = await projects.enter(callerOf(request), named, permission);
    };
    app.decorate('entersProject', enters);
    app.decorate('inProject', (permission: Permission) => [app.signedIn, enters(permission)]);
    const enterIfAny = async (request: FastifyRequest) => {
      const named = { path: undefined, header: projectInHeader(request) };
      try {
        request.projectScope = await projects.enter(callerOf(request), named, 'read');
      } catch (thrown) {
        if (!(thrown instanceof CalibronError) || thrown.status >= 500) throw thrown;
      }
    };
    // A token that is limited to a project gets what belongs to it, and what all projects share.
    app.addHook('preParsing', async (request) => {
      if (!request.caller || request.projectScope || countsOutsideProjects(request)) return;
      assertOfNoProject(request.caller.token);
    });
    app.decorate('inProjectIfAny', [app.signedIn, enterIfAny]);
  },
  { name: 'project-scope', dependencies: ['authentication'] },
);

/** The project of a route that is scoped to one. */
export function scopeOf(request: Pick<FastifyRequest, 'projectScope'>): ProjectScope {
  if (!request.projectScope) throw new Error('this route is not scoped to a project');
  return request.projectScope;
}

/** Id of the project of a route that is scoped to one. */
export function projectIdOf(request: Pick<FastifyRequest, 'projectScope'>): ProjectId {
  return scopeOf(request).project._id;
}

/** Id of the project of a route whose project is optional; undefined without one. */
export function projectIdIfAny({
  projectScope,
}: Pick<FastifyRequest, 'projectScope'>): ProjectId | undefined {
  return projectScope?.project._id;
}

function projectInPath(request: FastifyRequest): ProjectId | undefined {
  const { params } = request;
  if (typeof params !== 'object' || params === null || !('project_id' in params)) return undefined;
  return projectIdSchema.parse(String(params.project_id));
}

/** The project that a request names in its header, whether or not the caller may enter it. */
export function projectInHeader(request: FastifyRequest): ProjectId | undefined {
  return projectIdSchema.optional().parse(request.headers['x-project-id']?.toString());
}
