import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import {
  approval,
  approvalList,
  approvalReply,
  approvalStatus,
} from '../../../shared/domain/approvals/model.ts';
import type { Areas } from '../../../shared/domain/areas.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import { executionIdSchema } from '../../../shared/kernel/ids.ts';
import { integer } from '../../../shared/kernel/wire.ts';
import { callerOf } from '../../plugins/authentication.ts';
import { projectIdOf } from '../../plugins/project-scope.ts';
import { bearer, bodyAnswers, projectAnswers, projectHeaders } from '../answers.ts';

const common = { tags: ['approvals'], security: bearer, headers: projectHeaders };

/** Questions that flows ask people. */
export const approvalRoutes: FastifyPluginAsyncZod<Pick<Areas, 'approvals'>> = async (app, { approvals }) => {
  app.route({
    method: 'GET',
    url: '/approvals',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'list_approvals',
      summary: 'The questions of the project, newest first',
      querystring: z.object({
        status: approvalStatus.optional(),
        execution_id: executionIdSchema.optional(),
        skip: integer({ min: 0 }).prefault(0),
        limit: integer({ min: 1, max: 100 }).prefault(20),
      }),
      response: { 200: approvalList, ...projectAnswers },
    },
    handler: (request) => {
      const { skip, limit, ...filter } = request.query;
      return approvals.list(projectIdOf(request), filter, { skip, limit });
    },
  });

  app.route({
    method: 'POST',
    url: '/approvals/:approval_id',
    onRequest: app.inProject('write'),
    config: { audit: { action: 'approval_answered', details: ['answer'] } },
    schema: {
      ...common,
      operationId: 'answer_approval',
      summary: 'Answer a question of a flow; the first answer counts',
      params: z.object({ approval_id: z.string() }),
      body: approvalReply,
      response: { 200: approval, ...projectAnswers, ...bodyAnswers, 409: errorBody },
    },
    handler: (request) =>
      approvals.answer(
        projectIdOf(request),
        request.params.approval_id,
        callerOf(request).user.username,
        request.body.answer,
      ),
  });
};
