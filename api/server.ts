import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { domain } from '../shared/domain/areas.ts';
import type { Settings } from '../shared/kernel/config.ts';
import type { Database } from '../shared/kernel/database.ts';
import type { Engine } from '../shared/kernel/engine/temporal.ts';
import { CalibronError } from '../shared/kernel/errors.ts';
import type { InstallationState } from '../shared/kernel/installation/installation.ts';
import type { Logger } from '../shared/kernel/log.ts';
import { consolePages } from './console/pages.ts';
import { consoleSession, routeOfConsole } from './console/session.ts';
import { earlierInterface } from './earlier/index.ts';
import { auditTrail } from './plugins/audit-trail.ts';
import { authentication } from './plugins/authentication.ts';
import { bodyAccess } from './plugins/body-access.ts';
import { compression } from './plugins/compression.ts';
import { crossOrigin } from './plugins/cross-origin.ts';
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
import { adminAuditRoutes } from './routes/admin-audit.ts';
import { adminProjectRoutes } from './routes/admin-projects.ts';
import { adminUserRoutes } from './routes/admin-users.ts';
import { agentSessionRoutes } from './routes/agent-sessions.ts';
import { aiReviewRoutes } from './routes/ai-reviews.ts';
import { approvalRoutes } from './routes/approvals.ts';
import { artifactRoutes } from './routes/artifacts.ts';
import { authRoutes } from './routes/auth.ts';
import { backendRoutes } from './routes/backends.ts';
import { calibrationRoutes } from './routes/calibrations.ts';
import { chatSessionRoutes } from './routes/chat-sessions.ts';
import { chipNoteRoutes } from './routes/chip-notes.ts';
import { chipRoutes } from './routes/chips.ts';
import { configurationRoutes } from './routes/configuration.ts';
import { cooldownRoutes } from './routes/cooldowns.ts';
import { copilotRoutes } from './routes/copilot.ts';
import { cryostatRoutes } from './routes/cryostats.ts';
import { deviceTopologyRoutes } from './routes/device-topology.ts';
import { executionEventRoutes } from './routes/execution-events.ts';
import { executionStageRoutes } from './routes/execution-stages.ts';
import { executionRoutes } from './routes/executions.ts';
import { explanationRoutes } from './routes/explanations.ts';
import { figureDownloadRoutes } from './routes/figure-downloads.ts';
import { fileRoutes } from './routes/files.ts';
import { flowRoutes } from './routes/flows.ts';
import { forumRoutes } from './routes/forum.ts';
import { forumAiRoutes } from './routes/forum-ai.ts';
import { forumCategoryRoutes } from './routes/forum-categories.ts';
import { healthRoutes } from './routes/health.ts';
import { identityProviderRoutes } from './routes/identity-provider.ts';
import { imageRoutes } from './routes/images.ts';
import { issueKnowledgeRoutes } from './routes/issue-knowledge.ts';
import { issueRoutes } from './routes/issues.ts';
import { measurementUploadRoutes } from './routes/measurement-uploads.ts';
import { metricsRoutes } from './routes/metrics.ts';
import { muxRoutes } from './routes/muxes.ts';
import { notificationRoutes } from './routes/notifications.ts';
import { programTokenRoutes } from './routes/program-tokens.ts';
import { memberRoutes } from './routes/project-members.ts';
import { projectRoutes } from './routes/projects.ts';
import { provenanceRoutes } from './routes/provenance.ts';
import { reanalysisRoutes } from './routes/reanalysis.ts';
import { repeatRoutes } from './routes/repeats.ts';
import { runControlRoutes } from './routes/run-control.ts';
import { scheduleRoutes } from './routes/schedules.ts';
import { systemUpdateRoutes } from './routes/system-updates.ts';
import { targetNoteRoutes } from './routes/target-notes.ts';
import { taskFileRoutes } from './routes/task-files.ts';
import { taskKnowledgeRoutes } from './routes/task-knowledge.ts';
import { taskNoteRoutes } from './routes/task-notes.ts';
import { taskResultRoutes } from './routes/task-results.ts';
import { taskRoutes } from './routes/tasks.ts';
import { topologyRoutes } from './routes/topologies.ts';

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

  await app.register(authRoutes, areas);
  await app.register(programTokenRoutes, areas);
  await app.register(identityProviderRoutes, { ...areas, settings });
  await app.register(projectRoutes, areas);
  await app.register(memberRoutes, areas);
  await app.register(adminUserRoutes, areas);
  await app.register(adminProjectRoutes, areas);
  await app.register(adminAuditRoutes, areas);
  await app.register(systemUpdateRoutes, areas);
  await app.register(chipRoutes, areas);
  await app.register(muxRoutes, areas);
  await app.register(metricsRoutes, areas);
  await app.register(calibrationRoutes, areas);
  await app.register(topologyRoutes, areas);
  await app.register(deviceTopologyRoutes, areas);
  await app.register(cryostatRoutes, areas);
  await app.register(cooldownRoutes, areas);
  await app.register(chipNoteRoutes, areas);
  await app.register(targetNoteRoutes, areas);
  await app.register(taskNoteRoutes, areas);
  await app.register(notificationRoutes, areas);
  await app.register(forumCategoryRoutes, areas);
  await app.register(forumRoutes, areas);
  await app.register(forumAiRoutes, areas);
  await app.register(imageRoutes, areas);
  await app.register(flowRoutes, areas);
  await app.register(scheduleRoutes, areas);
  await app.register(artifactRoutes, areas);
  await app.register(figureDownloadRoutes, areas);
  await app.register(fileRoutes, areas);
  await app.register(configurationRoutes, areas);
  await app.register(executionRoutes, areas);
  await app.register(executionStageRoutes, areas);
  await app.register(executionEventRoutes, areas);
  await app.register(measurementUploadRoutes, areas);
  await app.register(runControlRoutes, areas);
  await app.register(approvalRoutes, areas);
  await app.register(repeatRoutes, areas);
  await app.register(copilotRoutes, areas);
  await app.register(reanalysisRoutes, areas);
  await app.register(taskResultRoutes, areas);
  await app.register(aiReviewRoutes, areas);
  await app.register(issueRoutes, areas);
  await app.register(issueKnowledgeRoutes, areas);
  await app.register(chatSessionRoutes, areas);
  await app.register(provenanceRoutes, areas);
  await app.register(explanationRoutes, areas);
  await app.register(taskRoutes, areas);
  await app.register(agentSessionRoutes, areas);
  await app.register(taskKnowledgeRoutes, areas);
  await app.register(taskFileRoutes, areas);
  await app.register(backendRoutes, areas);
  await app.register(healthRoutes, { database, engine, ...(installation && { installation }) });
  await app.register(earlierInterface, { areas, settings });
  await app.register(consolePages, { settings });
  await app.ready();
  return app;
}
