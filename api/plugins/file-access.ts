import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { AccountError } from '../../shared/domain/accounts/errors.ts';
import type { SignIn } from '../../shared/domain/accounts/index.ts';
import { assertOfNoProject } from '../../shared/domain/accounts/program-token-rules.ts';
import type { Artifacts } from '../../shared/domain/artifacts/index.ts';
import {
  isSharedConfiguration,
  namesProjects,
  projectOfConfiguration,
} from '../../shared/domain/configuration/rules.ts';
import type { Projects } from '../../shared/domain/projects/index.ts';
import { CalibronError } from '../../shared/kernel/errors.ts';
import { noSuchFile } from '../../shared/kernel/files/paths.ts';
import { type ProjectId, projectIdSchema } from '../../shared/kernel/ids.ts';
import { callerOf } from './authentication.ts';
import { cookieOf } from './cookies.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** For reading files by path. Depending on the setting, open to everyone or only with a token. */
    readsFiles: onRequestAsyncHookHandler[];
    /** For a page that a browser opens: the cookie of the client may hold the token, and the query the project. */
    opensPage: onRequestAsyncHookHandler[];
    /**
     * For a file of the calibration data, if a token is required: checks that the caller is a member of the project
     * that the path belongs to.
     * @returns the only project whose files the caller may read, undefined for any
     * @throws not_found
     */
    checkDataAccess(request: FastifyRequest, path: string): Promise<string | undefined>;
    /**
     * For a folder of the calibration data that holds more than one execution, such as a chip's or a project's: requires
     * a token and membership, regardless of the setting.
     * @throws not_authenticated, not_found
     */
    checkFolderAccess(request: FastifyRequest, path: string): Promise<void>;
    /**
     * For reading a path of the configuration: the folder of a project is for its members, and `backends.json`, which names
     * projects, for callers with a token. Who knows a project's id may read its figures where these are open.
     * @throws not_authenticated, not_found
     */
    checkConfigurationAccess(request: FastifyRequest, path: string): Promise<void>;
    /** For lists of the configuration: whether the caller may see a path, by the same rule. */
    shownConfiguration(request: FastifyRequest): Promise<(path: string) => boolean>;
    /** For changes of the configuration. Depending on the setting, open to every user or to administrators only. */
    changesConfiguration: onRequestAsyncHookHandler[];
    /**
     * For a change of the file or folder at this path of the configuration. Only administrators may change what all
     * projects share. A project's own folder may be changed by users with write permission in the project.
     * @throws admin_required, not_found, project_forbidden
     */
    checkConfigurationChange(request: FastifyRequest, path: string): Promise<void>;
  }
}

export interface FileAccessOptions {
  signIn: Pick<SignIn, 'readToken'>;
  projects: Pick<Projects, 'enter' | 'find' | 'listFor'>;
  artifacts: Pick<Artifacts, 'projectOf'>;
  artifactAccess: 'open' | 'token';
  configWrite: 'user' | 'admin';
}

/** Controls who may read files and who may change the configuration. A token that is sent is always checked. */
export const fileAccess = fastifyPlugin(
  async (app: FastifyInstance, options: FileAccessOptions) => {
    const { signIn, projects, artifacts, artifactAccess, configWrite } = options;
    const needsToken = artifactAccess === 'token';
    // A browser that loads a figure by its address cannot send our header, only the cookie that the client has set.
    const cookieAsToken = async (request: FastifyRequest) => {
      const token = cookieOf(request, 'access_token');
      if (!token || request.headers.authorization !== undefined) return;
      request.headers.authorization = `Bearer ${token}`;
      request.token = await signIn.readToken(request.headers.authorization);
    };
    // For the same reason a link names its project in the query.
    const queryAsProject = async (request: FastifyRequest) => {
      const { query } = request;
      if (typeof query !== 'object' || query === null || !('project_id' in query)) return;
      if (typeof query.project_id === 'string') request.headers['x-project-id'] ??= query.project_id;
    };
    app.decorate('opensPage', [cookieAsToken, queryAsProject]);
    app.decorate('readsFiles', [cookieAsToken, needsToken ? app.signedIn : app.tokenIfPresent]);
    app.decorate('changesConfiguration', configWrite === 'admin' ? app.administrator : [app.signedIn]);
    const checkMember = (request: FastifyRequest, path: ProjectId) =>
      projects.enter(callerOf(request), { path, header: undefined }, 'read').catch((thrown) => {
        throw thrown instanceof CalibronError && thrown.status < 500 ? noSuchFile() : thrown;
      });
    const checkMembership = async (request: FastifyRequest, path: string) => {
      const { project } = await artifacts.projectOf(path);
      await checkMember(request, project);
      return project;
    };
    app.decorate('checkDataAccess', async (request: FastifyRequest, path: string) =>
      needsToken ? checkMembership(request, path) : undefined,
    );
    app.decorate('checkFolderAccess', async (request: FastifyRequest, path: string) => {
      if (!request.caller) {
        throw new CalibronError(
          'not_authenticated',
          'This folder holds more than one execution; send the header Authorization: Bearer <access token>.',
        );
      }
      await checkMembership(request, path);
    });
    app.decorate('checkConfigurationAccess', async (request: FastifyRequest, path: string) => {
      const project = projectOfConfiguration(path);
      if (!project && !namesProjects(path)) return;
      if (!request.caller) {
        throw new CalibronError(
          'not_authenticated',
          'This belongs to projects; send the header Authorization: Bearer <access token>.',
        );
      }
      if (project) await checkMember(request, project);
    });
    app.decorate('shownConfiguration', async ({ caller }: FastifyRequest) => {
      const only = caller?.token?.program?.project_id ?? undefined;
      const entered = caller ? (await projects.listFor(caller.user._id, only)).projects : [];
      const ids = new Set(entered.map((each) => each.project_id));
      return (path: string) => {
        const project = projectOfConfiguration(path);
        return project ? ids.has(project) : caller !== null || !namesProjects(path);
      };
    });
    app.decorate('checkConfigurationChange', async (request: FastifyRequest, path: string) => {
      const caller = callerOf(request);
      if (isSharedConfiguration(path) && !app.actsAsAdministrator(request)) {
        throw new AccountError(
          'admin_required',
          'All projects share this file; only a system administrator may change it, with a second factor if the setting ADMIN_SECOND_FACTOR requires one.',
        );
      }
      const [first = ''] = path.split('/');
      const project_id = projectOfConfiguration(path) ?? projectIdSchema.parse(first);
      if (!(await projects.find(project_id))) return assertOfNoProject(caller.token);
      await projects.enter(caller, { path: project_id, header: undefined }, 'write');
    });
  },
  { name: 'file-access', dependencies: ['authentication'] },
);
