import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import { retention, retentionOutcome, retentionRule } from '../../../shared/domain/retention/model.ts';
import { callerOf } from '../../plugins/authentication.ts';
import { projectIdOf } from '../../plugins/project-scope.ts';
import { bearer, bodyAnswers, tokenAnswers } from '../answers.ts';

const common = { tags: ['projects'], security: bearer };
const params = z.object({ project_id: z.string() });
const answers = { ...tokenAnswers, 404: errorBody };

/** How long a project keeps its figures and raw data. */
export const retentionRoutes: FastifyPluginAsyncZod<Pick<Areas, 'retention'>> = async (
  app,
  { retention: rules },
) => {
  app.route({
    method: 'GET',
    url: '/projects/:project_id/retention',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'get_retention',
      summary: 'How long the project keeps figures and raw data',
      params,
      response: { 200: retention, ...answers },
    },
    handler: (request) => rules.get(projectIdOf(request)),
  });

  app.route({
    method: 'PUT',
    url: '/projects/:project_id/retention',
    onRequest: app.inProject('admin'),
    config: { audit: { action: 'retention_changed', details: ['max_age_days', 'max_gib'] } },
    schema: {
      ...common,
      operationId: 'set_retention',
      summary: 'Delete figures and raw data of old runs, in the background',
      description:
        'Files of results that a current value, a note, an issue, a decision about their exclusion or a knowledge case refers to are kept. Preview the rule first.',
      params,
      body: retentionRule,
      response: { 200: retention, ...answers, ...bodyAnswers },
    },
    handler: (request) => rules.set(projectIdOf(request), request.body, callerOf(request).user.username),
  });

  app.route({
    method: 'POST',
    url: '/projects/:project_id/retention/preview',
    onRequest: app.inProject('read'),
    config: { audit: null },
    schema: {
      ...common,
      operationId: 'preview_retention',
      summary: 'What a rule would delete now; deletes nothing',
      params,
      body: retentionRule,
      response: { 200: retentionOutcome, ...answers, ...bodyAnswers },
    },
    handler: (request) => rules.preview(projectIdOf(request), request.body),
  });
};
