import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { serializerCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import { CalibronError } from '../shared/errors.ts';
import type { Logger } from '../shared/log.ts';
import { authentication } from './plugins/authentication.ts';
import { errors, sendError } from './plugins/errors.ts';
import { jsonBody } from './plugins/json-body.ts';
import { openapi } from './plugins/openapi.ts';
import { projectScope } from './plugins/project-scope.ts';
import { requestId, requestIdOf } from './plugins/request-id.ts';
import { requestLog } from './plugins/request-log.ts';
import { validateWithZod } from './plugins/validation.ts';
import { artifactRoutes } from './routes/artifacts.ts';
import { authRoutes } from './routes/auth.ts';
import { backendRoutes } from './routes/backends.ts';
import { chipRoutes } from './routes/chips.ts';
import { executionRoutes } from './routes/executions.ts';
import { flowRoutes } from './routes/flows.ts';
import { healthRoutes } from './routes/health.ts';
import { projectRoutes } from './routes/projects.ts';
import { provenanceRoutes } from './routes/provenance.ts';
import { taskFileRoutes } from './routes/task-files.ts';
import { taskResultRoutes } from './routes/task-results.ts';
import { taskRoutes } from './routes/tasks.ts';
import { createServices, type ServiceDependencies } from './services.ts';

/** Bytes of a JSON body. */
const largestBody = 10 * 1024 * 1024;
/** Milliseconds in which a request must have arrived whole. */
const slowestRequest = 120_000;
/** Characters of one part of a path; ids of parameter versions are the longest. */
const longestPathPart = 1000;

export interface ServerDependencies extends ServiceDependencies {
  log: Logger;
}

/**
 * The whole API, ready to listen or to have requests injected. Closing it leaves database and
 * engine open: they belong to the caller.
 */
export async function buildServer(dependencies: ServerDependencies): Promise<FastifyInstance> {
  const { settings, database, engine } = dependencies;
  const loggerInstance: FastifyBaseLogger = dependencies.log;
  const services = await createServices(dependencies);
  const app = Fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIdOf,
    bodyLimit: largestBody,
    requestTimeout: slowestRequest,
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: longestPathPart },
    frameworkErrors: (_error, request, reply) => {
      void reply.header('x-request-id', request.id);
      void sendError(new CalibronError('not_found', 'There is no such address.'), request, reply);
    },
  }).withTypeProvider<ZodTypeProvider>();
  app.setValidatorCompiler(validateWithZod);
  app.setSerializerCompiler(serializerCompiler);

  await app.register(requestId);
  await app.register(requestLog);
  await app.register(errors);
  await app.register(jsonBody);
  await app.register(authentication, {
    signIn: services.signIn,
    enforcePasswordChange: settings.ENFORCE_PASSWORD_CHANGE,
  });
  await app.register(projectScope, { projects: services.projects });
  await app.register(openapi);

  await app.register(authRoutes, services);
  await app.register(projectRoutes, services);
  await app.register(chipRoutes, services);
  await app.register(flowRoutes, services);
  await app.register(artifactRoutes, { root: settings.CALIB_DATA_PATH });
  await app.register(executionRoutes, services);
  await app.register(taskResultRoutes, services);
  await app.register(provenanceRoutes, services);
  await app.register(taskRoutes, services);
  await app.register(taskFileRoutes, services);
  await app.register(backendRoutes, services);
  await app.register(healthRoutes, { database, engine });
  await app.ready();
  return app;
}
