import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { domain } from '../shared/domain/areas.ts';
import type { Settings } from '../shared/domain/settings.ts';
import type { Database } from '../shared/kernel/database.ts';
import type { Engine } from '../shared/kernel/engine/temporal.ts';
import { CalibronError } from '../shared/kernel/errors.ts';
import type { InstallationState } from '../shared/kernel/installation/installation.ts';
import type { Logger } from '../shared/kernel/log.ts';
import { consolePages } from './console/pages.ts';
import { consoleSession, routeOfConsole } from './console/session.ts';
import { earlierInterface } from './earlier/index.ts';
import { guidePages } from './guide/pages.ts';
import { archiveTurns } from './plugins/archive-turns.ts';
import { auditTrail } from './plugins/audit-trail.ts';
import { authentication } from './plugins/authentication.ts';
import { bodyAccess } from './plugins/body-access.ts';
import { compression } from './plugins/compression.ts';
import { crossOrigin } from './plugins/cross-origin.ts';
import { diskShortage } from './plugins/disk-shortage.ts';
import { draining } from './plugins/draining.ts';
import { errors, sendError } from './plugins/errors.ts';
import { fileAccess } from './plugins/file-access.ts';
import { foreignInstallation } from './plugins/foreign-installation.ts';
import { hostHeader } from './plugins/host-header.ts';
import { jsonBody } from './plugins/json-body.ts';
import { knownQueries } from './plugins/known-queries.ts';
import { knownRoutes } from './plugins/known-routes.ts';
import { limits } from './plugins/limits.ts';
import { listTurns } from './plugins/list-turns.ts';
import { listeners } from './plugins/listeners.ts';
import { measurementTokens } from './plugins/measurement-tokens.ts';
import { metrics } from './plugins/metrics.ts';
import { openapi } from './plugins/openapi.ts';
import { pageLinks } from './plugins/page-links.ts';
import { privateAnswers } from './plugins/private-answers.ts';
import { projectScope } from './plugins/project-scope.ts';
import { requestId, requestIdOf } from './plugins/request-id.ts';
import { requestLog } from './plugins/request-log.ts';
import { serializeAnswers } from './plugins/serialization.ts';
import { shownImages } from './plugins/shown-images.ts';
import { stalls } from './plugins/stalls.ts';
import { unchangedAnswers } from './plugins/unchanged-answers.ts';
import { answerUnparsable } from './plugins/unparsable-requests.ts';
import { validateWithZod } from './plugins/validation.ts';
import { healthRoutes } from './routes/health.ts';
import { routes } from './routes/index.ts';

/** Maximum size of a JSON body in bytes. */
const MAX_BODY_BYTES = 10 * 1024 * 1024;
/** Milliseconds within which a complete request must arrive. */
const REQUEST_TIMEOUT = 120_000;
/** Maximum number of characters of a path parameter. Ids of parameter versions are the longest. */
const MAX_PATH_PART = 1000;

export interface ServerDependencies {
  settings: Settings;
  database: Database;
  engine: Engine;
  log: Logger;
  /** If given, requests are rejected while store and engine belong to different installations. */
  installation?: InstallationState;
  /** If set, the server only describes its routes: building it reads neither store nor configuration. */
  isDescription?: boolean;
}

/**
 * Builds the whole API, ready to listen or to have requests injected. Closing it does not close
 * database and engine, which belong to the caller.
 */
export async function buildServer(dependencies: ServerDependencies): Promise<FastifyInstance> {
  const { settings, database, engine, log, installation, isDescription = false } = dependencies;
  const loggerInstance: FastifyBaseLogger = log;
  const { areas, close: closeAreas } = domain.open({ db: database.db, engine, settings, log });
  // A configuration error or an unreadable key must fail the start, not the first request.
  if (!isDescription) await Promise.all([areas.backends.prepare(), areas.accounts.tokens.prepare()]);
  const app = Fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestIdOf,
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT,
    trustProxy: settings.TRUSTED_PROXIES.length > 0 ? settings.TRUSTED_PROXIES : false,
    return503OnClosing: false,
    http: { requireHostHeader: false }, // Node's own response to a request without it has no body
    clientErrorHandler: answerUnparsable,
    rewriteUrl: settings.CONSOLE === 'on' ? routeOfConsole : ({ url }) => url ?? '/',
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_PATH_PART },
    frameworkErrors: (_error, request, reply) => {
      void reply.header('x-request-id', request.id);
      void sendError(new CalibronError('not_found', 'There is no such address.'), request, reply);
    },
  }).withTypeProvider<ZodTypeProvider>();
  app.setValidatorCompiler(validateWithZod);
  app.setSerializerCompiler(serializeAnswers());

  app.addHook('onClose', closeAreas);

  await app.register(requestId);
  await app.register(draining);
  await app.register(privateAnswers);
  await app.register(requestLog);
  await app.register(metrics);
  await app.register(diskShortage, { diskSpace: areas.diskSpace });
  await app.register(stalls, { checkPassword: areas.accounts.passwords.probe });
  await app.register(crossOrigin, { origins: settings.API_CORS_ORIGINS });
  await app.register(unchangedAnswers);
  await app.register(compression);
  await app.register(knownRoutes);
  await app.register(knownQueries);
  await app.register(errors);
  if (installation) await app.register(foreignInstallation, { installation });
  await app.register(hostHeader);
  await app.register(jsonBody);
  await app.register(consoleSession, { signIn: areas.accounts.signIn, settings });
  await app.register(authentication, {
    signIn: areas.accounts.signIn,
    enforcePasswordChange: settings.ENFORCE_PASSWORD_CHANGE,
    adminSecondFactor: settings.ADMIN_SECOND_FACTOR === 'required',
  });
  await app.register(limits, {
    perToken: settings.RATE_LIMIT_TOKEN,
    perUser: settings.RATE_LIMIT_USER,
    perAddress: settings.RATE_LIMIT_ADDRESS,
  });
  await app.register(measurementTokens, { uploads: areas.measurementUploads });
  await app.register(bodyAccess);
  await app.register(projectScope, { projects: areas.projects });
  await app.register(listTurns);
  await app.register(archiveTurns);
  await app.register(pageLinks);
  await app.register(shownImages, { images: areas.images });
  await app.register(auditTrail, { audit: areas.audit, users: areas.accounts.users });
  await app.register(listeners, {
    signIn: areas.accounts.signIn,
    projects: areas.projects,
    perUser: settings.EVENT_STREAMS_PER_USER,
  });
  await app.register(fileAccess, {
    signIn: areas.accounts.signIn,
    projects: areas.projects,
    artifacts: areas.artifacts,
    artifactAccess: settings.ARTIFACT_ACCESS,
    configWrite: settings.CONFIG_WRITE,
  });
  await app.register(openapi, { publicUrl: settings.PUBLIC_URL });

  const options = { ...areas, settings };
  for (const each of routes) await app.register(each, options);
  await app.register(healthRoutes, { database, engine, settings, ...(installation && { installation }) });
  await app.register(earlierInterface, { areas, settings });
  await app.register(consolePages, { settings });
  await app.register(guidePages);
  await app.ready();
  return app;
}
