import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import {
  agentCandidateList,
  agentCommitList,
  agentCommitQuery,
  applyCommit,
  campaignCommit,
  candidateCommit,
  newCampaign,
  newCommit,
} from '../../../shared/domain/agent-sessions/commit-model.ts';
import type { Areas } from '../../../shared/domain/areas.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import type { ProjectId } from '../../../shared/kernel/ids.ts';
import { projectIdOf } from '../../plugins/project-scope.ts';
import { bearer, bodyAnswers, projectAnswers, projectHeaders } from '../answers.ts';
import { sessionUserOf } from './agent-callers.ts';

const common = { tags: ['agent-sessions'], security: bearer, headers: projectHeaders };
const params = z.object({ session_id: z.string() });
const actionParams = params.extend({ action_id: z.string() });
const commitParams = params.extend({ commit_id: z.string() });
const writeAnswers = { ...projectAnswers, ...bodyAnswers, 409: errorBody };

/** Values that agents found, and commits that turn them into calibration state. */
export const agentCommitRoutes: FastifyPluginAsyncZod<Pick<Areas, 'agentSessions'>> = async (
  app,
  { agentSessions },
) => {
  const { candidates, commits, applying } = agentSessions;

  app.route({
    method: 'GET',
    url: '/agent-sessions/:session_id/actions/:action_id/candidates',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'list_agent_candidates',
      summary: 'The values that an action found, and whether they may be committed',
      params: actionParams,
      response: { 200: agentCandidateList, ...projectAnswers, 409: errorBody },
    },
    handler: (request) =>
      candidates(projectIdOf(request), request.params.session_id, request.params.action_id),
  });

  app.route({
    method: 'POST',
    url: '/agent-sessions/:session_id/actions/:action_id/candidates/:parameter_name/commit',
    onRequest: app.inProject('write'),
    config: {
      audit: { action: 'values_changed', target: 'session_id', details: ['commit_id', 'qid', 'value'] },
    },
    schema: {
      ...common,
      operationId: 'commit_agent_candidate',
      summary: 'Make a candidate the calibration state of its target, if it still passes every gate',
      params: actionParams.extend({ parameter_name: z.string() }),
      body: newCommit,
      response: { 201: candidateCommit, ...writeAnswers },
    },
    handler: async (request, reply) => {
      const { session_id, action_id, parameter_name } = request.params;
      const place: [ProjectId, string, string] = [projectIdOf(request), session_id, action_id];
      const done = await commits.commit(place, sessionUserOf(request), parameter_name, request.body);
      return reply.code(201).send(done);
    },
  });

  app.route({
    method: 'POST',
    url: '/agent-sessions/:session_id/campaign-commits',
    onRequest: app.inProject('write'),
    config: {
      audit: { action: 'values_changed', target: 'session_id', details: ['commit_id', 'chip_id', 'qid'] },
    },
    schema: {
      ...common,
      operationId: 'commit_agent_campaign',
      summary: 'Make several candidates of one target its calibration state: all with one write, or none',
      params,
      body: newCampaign,
      response: { 201: campaignCommit, ...writeAnswers },
    },
    handler: async (request, reply) => {
      const user = sessionUserOf(request);
      const { session_id } = request.params;
      const done = await commits.commitCampaign(projectIdOf(request), user, session_id, request.body);
      return reply.code(201).send(done);
    },
  });

  app.route({
    method: 'GET',
    url: '/agent-sessions/:session_id/campaign-commits/:commit_id',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'get_agent_campaign_commit',
      summary: 'A campaign commit with what it replaced',
      params: commitParams,
      response: { 200: campaignCommit, ...projectAnswers },
    },
    handler: (request) =>
      commits.readCampaign(projectIdOf(request), request.params.session_id, request.params.commit_id),
  });

  app.route({
    method: 'GET',
    url: '/agent-sessions/:session_id/commits',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'list_agent_commits',
      summary: 'The commits of a session, newest first, with the values that they set and replaced',
      params,
      querystring: agentCommitQuery,
      response: { 200: agentCommitList, ...projectAnswers },
    },
    handler: (request) => commits.list(projectIdOf(request), request.params.session_id, request.query),
  });

  app.route({
    method: 'GET',
    url: '/agent-sessions/:session_id/commits/:commit_id',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'get_agent_commit',
      summary: "A commit with what it replaced, and how far it has been applied to the backend's files",
      params: commitParams,
      response: { 200: candidateCommit, ...projectAnswers },
    },
    handler: (request) =>
      applying.read(projectIdOf(request), request.params.session_id, request.params.commit_id),
  });

  app.route({
    method: 'POST',
    url: '/agent-sessions/:session_id/commits/:commit_id/apply',
    onRequest: [...app.inProject('write'), ...app.changesConfiguration],
    config: {
      audit: { action: 'agent_commit_applied', details: ['parameter_name', 'qid', 'value', 'session_id'] },
    },
    schema: {
      ...common,
      operationId: 'apply_agent_commit',
      summary: "Bring a committed value into the backend's parameter file, as a version of it",
      params: commitParams,
      body: applyCommit,
      response: { 200: candidateCommit, ...writeAnswers },
    },
    handler: (request) => {
      const { session_id, commit_id } = request.params;
      const place: [ProjectId, string, string] = [projectIdOf(request), session_id, commit_id];
      return applying.apply(place, sessionUserOf(request), request.body);
    },
  });
};
