import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import type { SignIn } from '../../shared/domain/accounts/index.ts';
import type { Artifacts } from '../../shared/domain/artifacts/index.ts';
import { isSharedConfiguration } from '../../shared/domain/configuration/rules.ts';
import type { Projects } from '../../shared/domain/projects/index.ts';
import { CalibronError } from '../../shared/kernel/errors.ts';
import { noSuchFile } from '../../shared/kernel/files/paths.ts';
import { callerOf } from './authentication.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** For files that are read by their path: anybody, or whoever has a token, as the setting says. */
    readsFiles: onRequestAsyncHookHandler[];
    /**
     * For a file of the calibration data, where a token is asked for: whether the caller is a member of the project
     * that the path belongs to.
     * @returns the only project whose file the caller may have, undefined for any
     * @throws not_found
     */
    checkDataAccess(request: FastifyRequest, path: string): Promise<string | undefined>;
    /**
     * For a folder of the calibration data that holds more than one execution, such as a chip's or a project's: asks for
     * a token and for membership, whatever the setting.
     * @throws not_authenticated, not_found
     */
    checkFolderAccess(request: FastifyRequest, path: string): Promise<void>;
    /** For changes of the configuration: every user, or administrators only, as the setting says. */
    changesConfiguration: onRequestAsyncHookHandler[];
    /**
     * For a change of the file or folder with this path in the configuration: what all projects share is changed by
     * administrators, and a project's own folder by those who may write in the project.
     * @throws admin_required, not_found, project_forbidden
     */
    checkConfigurationChange(request: FastifyRequest, path: string): Promise<void>;
  }
}

export interface FileAccessOptions {
  signIn: Pick<SignIn, 'readToken'>;
  projects: Pick<Projects, 'enter' | 'find'>;
  artifacts: Pick<Artifacts, 'projectOf'>;
  artifactAccess: 'open' | 'token';
  configWrite: 'user' | 'admin';
}

/** Who reads files and who changes the configuration. A token that is presented is always checked. */
export const fileAccess = fastifyPlugin(
  async (app: FastifyInstance, options: FileAccessOptions) => {
    const { signIn, projects, artifacts, artifactAccess, configWrite } = options;
    const needsToken = artifactAccess === 'token';
    // Browsers that show a figure by its address send no header of ours, but the cookie that the client has set.
    const cookieAsToken = async (request: FastifyRequest) => {
      const token = /(?:^|;)\s*access_token=([^;\s]+)/.exec(request.headers.cookie ?? '')?.[1];
      if (!token || request.headers.authorization !== undefined) return;
      request.headers.authorization = `Bearer ${token}`;
      request.token = await signIn.readToken(request.headers.authorization);
    };
    app.decorate('readsFiles', [cookieAsToken, needsToken ? app.signedIn : app.tokenIfPresent]);
    app.decorate('changesConfiguration', configWrite === 'admin' ? app.administrator : [app.signedIn]);
    const checkMembership = async (request: FastifyRequest, path: string) => {
      const { project } = await artifacts.projectOf(path);
      await projects
        .enter(callerOf(request).user, { path: project, header: undefined }, 'read')
        .catch((thrown) => {
          throw thrown instanceof CalibronError && thrown.status < 500 ? noSuchFile() : thrown;
        });
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
    app.decorate('checkConfigurationChange', async (request: FastifyRequest, path: string) => {
      const { user } = callerOf(request);
      if (isSharedConfiguration(path) && user.system_role !== 'admin') {
        throw new CalibronError(
          'admin_required',
          'All projects share this file; only a system administrator may change it.',
        );
      }
      const [project = ''] = path.split('/');
      if (!(await projects.find(project))) return;
      await projects.enter(user, { path: project, header: undefined }, 'write');
    });
  },
  { name: 'file-access', dependencies: ['authentication'] },
);
