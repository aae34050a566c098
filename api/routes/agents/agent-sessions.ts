import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import {
  agentAction,
  agentActionList,
  agentActionQuery,
  executeAction,
  newAction,
} from '../../../shared/domain/agent-sessions/action-model.ts';
import {
  agentSession,
  agentSessionList,
  agentSessionQuery,
  gateAnswer,
  gateQuestion,
  newAgentSession,
} from '../../../shared/domain/agent-sessions/model.ts';
import type { Areas } from '../../../shared/domain/areas.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import { projectIdOf } from '../../plugins/project-scope.ts';
import { bearer, bodyAnswers, projectAnswers, projectHeaders } from '../answers.ts';
import { sessionUserOf } from './agent-callers.ts';
import { agentCommitRoutes } from './agent-commits.ts';

const common = { tags: ['agent-sessions'], security: bearer, headers: projectHeaders };
const params = z.object({ session_id: z.string() });
const actionParams = params.extend({ action_id: z.string() });
const writeAnswers = { ...projectAnswers, ...bodyAnswers, 409: errorBody };

/** Sessions in which users' agents propose measurements, and these proposals. */
export const agentSessionRoutes: FastifyPluginAsyncZod<Pick<Areas, 'agentSessions'>> = async (
  app,
  options,
) => {
  const { sessions } = options.agentSessions;
  await app.register(actionRoutes, options);
  await app.register(agentCommitRoutes, options);

  app.route({
    method: 'GET',
    url: '/agent-sessions',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'list_agent_sessions',
      summary: 'The agent sessions of the project, newest first',
      querystring: agentSessionQuery,
      response: { 200: agentSessionList, ...projectAnswers },
    },
    handler: (request) => sessions.list(projectIdOf(request), request.query),
  });

  app.route({
    method: 'POST',
    url: '/agent-sessions',
    onRequest: app.inProject('write'),
    config: {
      audit: {
        action: 'agent_session_created',
        target: 'session_id',
        details: ['chip_id', 'model_name', 'skill_name', 'skill_hash'],
      },
    },
    schema: {
      ...common,
      operationId: 'create_agent_session',
      summary: 'Let an agent act on a chip, within a policy and for a time',
      body: newAgentSession,
      response: { 201: agentSession, ...writeAnswers },
    },
    handler: async (request, reply) =>
      reply.code(201).send(await sessions.create(projectIdOf(request), sessionUserOf(request), request.body)),
  });

  app.route({
    method: 'GET',
    url: '/agent-sessions/:session_id',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'get_agent_session',
      summary: 'The state of a session: its policy, status, version and budget',
      params,
      response: { 200: agentSession, ...projectAnswers },
    },
    handler: (request) => sessions.get(projectIdOf(request), request.params.session_id),
  });

  app.route({
    method: 'POST',
    url: '/agent-sessions/:session_id/resume',
    onRequest: app.inProject('write'),
    config: { audit: 'agent_session_resumed' },
    schema: {
      ...common,
      operationId: 'resume_agent_session',
      summary:
        "Resume the session of an agent that asked for a person; for its creator and the project's owner",
      params,
      response: { 200: agentSession, ...writeAnswers },
    },
    handler: (request) =>
      sessions.resume(projectIdOf(request), sessionUserOf(request), request.params.session_id),
  });

  app.route({
    method: 'POST',
    url: '/agent-sessions/:session_id/cancel',
    onRequest: app.inProject('write'),
    config: { audit: 'agent_session_cancelled' },
    schema: {
      ...common,
      operationId: 'cancel_agent_session',
      summary: "End a session; for its creator and the project's owner. Its open run continues",
      params,
      response: { 200: agentSession, ...writeAnswers },
    },
    handler: (request) =>
      sessions.cancel(projectIdOf(request), sessionUserOf(request), request.params.session_id),
  });

  app.route({
    method: 'POST',
    url: '/agent-sessions/:session_id/candidate-gate',
    onRequest: app.inProject('read'),
    config: { audit: null },
    schema: {
      ...common,
      operationId: 'gate_agent_candidate',
      summary: 'Check a value against the bounds of a session; changes nothing',
      params,
      body: gateQuestion,
      response: { 200: gateAnswer, ...writeAnswers },
    },
    handler: (request) => sessions.gate(projectIdOf(request), request.params.session_id, request.body),
  });
};

const actionRoutes: FastifyPluginAsyncZod<Pick<Areas, 'agentSessions'>> = async (app, { agentSessions }) => {
  const { actions, execute } = agentSessions;

  app.route({
    method: 'GET',
    url: '/agent-sessions/:session_id/actions',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'list_agent_actions',
      summary: 'Everything that was proposed in a session, in order, rejected proposals too',
      params,
      querystring: agentActionQuery,
      response: { 200: agentActionList, ...projectAnswers },
    },
    handler: (request) => actions.list(projectIdOf(request), request.params.session_id, request.query),
  });

  app.route({
    method: 'POST',
    url: '/agent-sessions/:session_id/actions',
    onRequest: app.inProject('write'),
    config: {
      audit: {
        action: 'agent_action_proposed',
        target: 'session_id',
        details: ['action_id', 'action_type', 'task_name', 'decision'],
      },
    },
    schema: {
      ...common,
      operationId: 'submit_agent_action',
      summary: 'Propose an action: it is authorized or rejected, and audited; nothing is carried out',
      params,
      body: newAction,
      response: { 201: agentAction, ...writeAnswers },
    },
    handler: async (request, reply) => {
      const { session_id } = request.params;
      const user = sessionUserOf(request);
      return reply.code(201).send(await actions.submit(projectIdOf(request), user, session_id, request.body));
    },
  });

  app.route({
    method: 'GET',
    url: '/agent-sessions/:session_id/actions/:action_id',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'get_agent_action',
      summary: 'One action in its current state',
      params: actionParams,
      response: { 200: agentAction, ...projectAnswers },
    },
    handler: (request) =>
      actions.get(projectIdOf(request), request.params.session_id, request.params.action_id),
  });

  app.route({
    method: 'POST',
    url: '/agent-sessions/:session_id/actions/:action_id/execute',
    onRequest: app.inProject('write'),
    config: { audit: { action: 'run_started', details: ['execution_id', 'task_name', 'session_id'] } },
    schema: {
      ...common,
      operationId: 'execute_agent_action',
      summary: 'Run the task of an authorized action; a repeated request answers its state',
      params: actionParams,
      body: executeAction,
      response: { 200: agentAction, ...writeAnswers },
    },
    handler: (request) => {
      const { session_id, action_id } = request.params;
      return execute([projectIdOf(request), session_id, action_id], sessionUserOf(request), request.body);
    },
  });
};
