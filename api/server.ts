import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { serializerCompiler, type ZodTypeProvider } from 'fastify-type-provider-zod';
import { CalibronError } from '../shared/kernel/errors.ts';
import type { Logger } from '../shared/kernel/log.ts';
import { authentication } from './plugins/authentication.ts';
import { crossOrigin } from './plugins/cross-origin.ts';
import { draining } from './plugins/draining.ts';
import { errors, sendError } from './plugins/errors.ts';
import { fileAccess } from './plugins/file-access.ts';
import { jsonBody } from './plugins/json-body.ts';
import { knownRoutes } from './plugins/known-routes.ts';
import { limits } from './plugins/limits.ts';
import { metrics } from './plugins/metrics.ts';
import { openapi } from './plugins/openapi.ts';
import { projectScope } from './plugins/project-scope.ts';
import { requestId, requestIdOf } from './plugins/request-id.ts';
import { requestLog } from './plugins/request-log.ts';
import { answerUnreadable } from './plugins/unreadable-requests.ts';
import { validateWithZod } from './plugins/validation.ts';
import { adminProjectRoutes } from './routes/admin-projects.ts';
import { adminUserRoutes } from './routes/admin-users.ts';
import { approvalRoutes } from './routes/approvals.ts';
import { artifactRoutes } from './routes/artifacts.ts';
import { authRoutes } from './routes/auth.ts';
import { backendRoutes } from './routes/backends.ts';
import { chipRoutes } from './routes/chips.ts';
import { configurationRoutes } from './routes/configuration.ts';
import { executionEventRoutes } from './routes/execution-events.ts';
import { executionStageRoutes } from './routes/execution-stages.ts';
import { executionRoutes } from './routes/executions.ts';
import { figureDownloadRoutes } from './routes/figure-downloads.ts';
import { fileRoutes } from './routes/files.ts';
import { flowRoutes } from './routes/flows.ts';
import { healthRoutes } from './routes/health.ts';
import { memberRoutes } from './routes/project-members.ts';
import { projectRoutes } from './routes/projects.ts';
import { provenanceRoutes } from './routes/provenance.ts';
import { repeatRoutes } from './routes/repeats.ts';
import { runControlRoutes } from './routes/run-control.ts';
import { scheduleRoutes } from './routes/schedules.ts';
import { taskFileRoutes } from './routes/task-files.ts';
import { taskResultRoutes } from './routes/task-results.ts';
import { taskRoutes } from './routes/tasks.ts';
import { createServices, type ServiceDependencies } from './services.ts';

/** Bytes of a JSON body. */
const MAX_BODY_BYTES = 10 * 1024 * 1024;
/** Milliseconds in which a request must have arrived whole. */
const REQUEST_TIMEOUT = 120_000;
/** Characters of one part of a path; ids of parameter versions are the longest. */
const MAX_PATH_PART = 1000;

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
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT,
    trustProxy: settings.TRUSTED_PROXIES.length > 0 ? settings.TRUSTED_PROXIES : false,
    return503OnClosing: false,
    clientErrorHandler: answerUnreadable,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_PATH_PART },
    frameworkErrors: (_error, request, reply) => {
      void reply.header('x-request-id', request.id);
      void sendError(new CalibronError('not_found', 'There is no such address.'), request, reply);
    },
  }).withTypeProvider<ZodTypeProvider>();
  app.setValidatorCompiler(validateWithZod);
  app.setSerializerCompiler(serializerCompiler);

  app.addHook('onClose', () => services.parsing.destroy());
  await app.register(requestId);
  await app.register(draining);
  await app.register(requestLog);
  await app.register(metrics);
  await app.register(crossOrigin, { origins: settings.API_CORS_ORIGINS });
  await app.register(knownRoutes);
  await app.register(errors);
  await app.register(jsonBody);
  await app.register(authentication, {
    signIn: services.signIn,
    enforcePasswordChange: settings.ENFORCE_PASSWORD_CHANGE,
  });
  await app.register(limits, {
    perToken: settings.RATE_LIMIT_TOKEN,
    perAddress: settings.RATE_LIMIT_ADDRESS,
  });
  await app.register(projectScope, { projects: services.projects });
  await app.register(fileAccess, {
    ...services,
    artifactAccess: settings.ARTIFACT_ACCESS,
    configWrite: settings.CONFIG_WRITE,
    root: settings.CALIB_DATA_PATH,
  });
  await app.register(openapi);

  await app.register(authRoutes, services);
  await app.register(projectRoutes, services);
  await app.register(memberRoutes, services);
  await app.register(adminUserRoutes, services);
  await app.register(adminProjectRoutes, services);
  await app.register(chipRoutes, services);
  await app.register(flowRoutes, services);
  await app.register(scheduleRoutes, services);
  await app.register(artifactRoutes, { ...services, root: settings.CALIB_DATA_PATH });
  await app.register(figureDownloadRoutes, { root: settings.CALIB_DATA_PATH });
  await app.register(fileRoutes, { ...services, root: settings.CALIB_DATA_PATH });
  await app.register(configurationRoutes, services);
  await app.register(executionRoutes, services);
  await app.register(executionStageRoutes, services);
  await app.register(executionEventRoutes, services);
  await app.register(runControlRoutes, services);
  await app.register(approvalRoutes, services);
  await app.register(repeatRoutes, services);
  await app.register(taskResultRoutes, services);
  await app.register(provenanceRoutes, services);
  await app.register(taskRoutes, services);
  await app.register(taskFileRoutes, services);
  await app.register(backendRoutes, services);
  await app.register(healthRoutes, { database, engine });
  await app.ready();
  return app;
}
