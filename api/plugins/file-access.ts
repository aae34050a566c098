import type { FastifyInstance, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import type { SignIn } from '../../shared/domain/accounts/index.ts';
import type { Artifacts } from '../../shared/domain/artifacts/index.ts';
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
    /** For changes of the configuration: every user, or administrators only, as the setting says. */
    changesConfiguration: onRequestAsyncHookHandler[];
  }
}

export interface FileAccessOptions {
  signIn: Pick<SignIn, 'readToken'>;
  projects: Pick<Projects, 'enter'>;
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
    app.decorate('checkDataAccess', async (request: FastifyRequest, path: string) => {
      if (!needsToken) return undefined;
      const { project } = await artifacts.projectOf(path);
      await projects
        .enter(callerOf(request).user, { path: project, header: undefined }, 'read')
        .catch((thrown) => {
          throw thrown instanceof CalibronError && thrown.status < 500 ? noSuchFile() : thrown;
        });
      return project;
    });
  },
  { name: 'file-access', dependencies: ['authentication'] },
);
