import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import {
  flowDetail,
  flowList,
  newFlow,
  savedFlowAnswer,
} from '../../../shared/domain/flows/saved-flow-model.ts';
import { startedRun } from '../../../shared/domain/runs/model.ts';
import { executeFlow } from '../../../shared/domain/runs/request-model.ts';
import { shareUserId } from '../../../shared/kernel/sharing-accounts.ts';
import { messageBody } from '../../../shared/kernel/wire.ts';
import { callerOf } from '../../plugins/authentication.ts';
import { projectIdOf } from '../../plugins/project-scope.ts';
import {
  bearer,
  bodyAnswers,
  projectAnswers,
  projectHeaders,
  savingAnswers,
  savingHeaders,
  startHeaders,
  taggedAnswers,
} from '../answers.ts';
import { runOrderOf } from '../runs/run-order.ts';
import { preconditionOf, tagged } from '../tagged-answers.ts';
import { flowTemplateRoutes } from './flow-templates.ts';
import { flowVersionRoutes } from './flow-versions.ts';

const common = { tags: ['flows'], security: bearer };
const flowParams = z.object({ name: z.string() });

export const flowRoutes: FastifyPluginAsyncZod<Pick<Areas, 'flows' | 'runs' | 'schedules'>> = async (
  app,
  options,
) => {
  const { flows, runs, schedules } = options;
  await app.register(flowVersionRoutes, options);
  await app.register(flowTemplateRoutes, options);

  app.route({
    method: 'GET',
    url: '/flows',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'list_flows',
      summary: 'The flows of the project, most recently changed first',
      headers: projectHeaders,
      response: { 200: flowList, ...projectAnswers },
    },
    handler: (request) => flows.list(projectIdOf(request)),
  });

  app.route({
    method: 'POST',
    url: '/flows',
    onRequest: app.inProject('write'),
    config: { audit: { action: 'flow_saved', target: 'name' } },
    schema: {
      ...common,
      operationId: 'save_flow',
      summary: 'Save a flow under its name; an earlier one of that name is replaced',
      headers: savingHeaders,
      body: newFlow,
      response: { 200: savedFlowAnswer, ...projectAnswers, ...bodyAnswers, ...savingAnswers, 409: errorBody },
    },
    handler: async (request, reply) => {
      const { user } = callerOf(request);
      const { value, tag } = await flows.save(projectIdOf(request), user.username, request.body, {
        precondition: preconditionOf(request),
        share: { user: shareUserId(user), project: projectIdOf(request) },
      });
      return tagged(reply, value, tag);
    },
  });

  app.route({
    method: 'GET',
    url: '/flows/:name',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'get_flow',
      summary: 'One flow with its code',
      headers: projectHeaders,
      params: flowParams,
      response: { 200: flowDetail, ...projectAnswers, ...taggedAnswers },
    },
    handler: async (request, reply) => {
      const { value, tag } = await flows.read(projectIdOf(request), request.params.name);
      return tagged(reply, value, tag);
    },
  });

  app.route({
    method: 'DELETE',
    url: '/flows/:name',
    onRequest: app.inProject('write'),
    config: { audit: 'flow_deleted' },
    schema: {
      ...common,
      operationId: 'delete_flow',
      summary: 'Delete a flow with its schedules',
      headers: savingHeaders,
      params: flowParams,
      response: { 200: messageBody, ...projectAnswers, ...bodyAnswers, ...savingAnswers },
    },
    handler: async (request) => {
      const { name } = request.params;
      const precondition = preconditionOf(request);
      await flows.assertUnchanged(projectIdOf(request), name, precondition);
      // Delete the schedules first, so that an interrupted deletion leaves no schedule without its flow and can be retried.
      await schedules.deleteAll(projectIdOf(request), name);
      await flows.remove(projectIdOf(request), name, precondition);
      // Delete schedules that were created before the flow was removed.
      await schedules.deleteAll(projectIdOf(request), name);
      return { message: `Flow ${name} was deleted.` };
    },
  });

  app.route({
    method: 'POST',
    url: '/flows/:name/execute',
    onRequest: app.inProject('write'),
    config: { audit: { action: 'run_started', details: ['execution_id'] } },
    schema: {
      ...common,
      operationId: 'execute_flow',
      summary: 'Start a run of a flow',
      headers: startHeaders,
      params: flowParams,
      body: executeFlow,
      response: { 200: startedRun, ...projectAnswers, ...bodyAnswers, 409: errorBody },
    },
    handler: (request) => runs.startFlow(runOrderOf(request), request.params.name, request.body),
  });
};
