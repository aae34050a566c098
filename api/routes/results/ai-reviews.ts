import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import {
  bulkReview,
  cancelledReviews,
  requestedReviews,
  reviewQuality,
  reviewRow,
  reviewRun,
} from '../../../shared/domain/ai-reviews/model.ts';
import type { Areas } from '../../../shared/domain/areas.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import { boolean, integer } from '../../../shared/kernel/wire.ts';
import { actorOf } from '../../plugins/authentication.ts';
import { projectIdOf } from '../../plugins/project-scope.ts';
import { bearer, bodyAnswers, projectAnswers, projectHeaders } from '../answers.ts';

const common = { tags: ['ai-reviews'], security: bearer, headers: projectHeaders };

const page = {
  skip: integer({ min: 0 }).prefault(0),
  limit: integer({ min: 1, max: 200 }).prefault(50),
};
const about = { chip_id: z.string().optional(), task_name: z.string().optional() };
const total = z.number().int();
const counts = z.record(z.string(), z.number().int());

/** Reviews of task results, by fixed rules or a language model. */
export const aiReviewRoutes: FastifyPluginAsyncZod<Pick<Areas, 'aiReviews'>> = async (app, { aiReviews }) => {
  app.route({
    method: 'GET',
    url: '/task-results/ai-review/runs',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'list_ai_review_runs',
      summary: 'Runs of reviews, newest first, with the states of their reviews',
      querystring: z.object({ ...about, ...page }),
      response: {
        200: z.object({ items: z.array(reviewRun), total, skip: total, limit: total }),
        ...projectAnswers,
      },
    },
    handler: (request) => {
      const { skip, limit, ...filter } = request.query;
      return aiReviews.listRuns(projectIdOf(request), filter, { skip, limit });
    },
  });

  app.route({
    method: 'GET',
    url: '/task-results/ai-review/runs/:review_run_id',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'get_ai_review_run',
      summary: 'A run of reviews with all of them, by target',
      params: z.object({ review_run_id: z.string() }),
      response: { 200: z.object({ run: reviewRun, items: z.array(reviewRow) }), ...projectAnswers },
    },
    handler: (request) => aiReviews.readRun(projectIdOf(request), request.params.review_run_id),
  });

  app.route({
    method: 'POST',
    url: '/task-results/ai-review/runs/:review_run_id/cancel',
    onRequest: app.inProject('write'),
    config: { audit: 'reviews_cancelled' },
    schema: {
      ...common,
      operationId: 'cancel_ai_review_run',
      summary: 'Cancel the reviews of a run that have not ended',
      params: z.object({ review_run_id: z.string() }),
      response: { 200: cancelledReviews, ...projectAnswers, ...bodyAnswers, 409: errorBody },
    },
    handler: (request) => aiReviews.cancel(projectIdOf(request), request.params.review_run_id),
  });

  app.route({
    method: 'GET',
    url: '/task-results/ai-review/quality',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'get_ai_review_quality',
      summary: 'How often reviews agreed with what people later said about the results, by task and model',
      description:
        'People judge a result by leaving it out of metrics or counting it again (POST /task-results/{task_id}/exclude), and by the `human_label` of a knowledge case that they approve.',
      response: { 200: reviewQuality, ...projectAnswers },
    },
    handler: (request) => aiReviews.quality(projectIdOf(request)),
  });

  app.route({
    method: 'GET',
    url: '/task-results/ai-review',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'list_ai_reviews',
      summary: 'Reviews, the newest results first',
      querystring: z.object({
        ...about,
        status: z.string().optional(),
        decision: z.string().optional(),
        latest_only: boolean()
          .prefault(false)
          .describe(
            'For each task and target, only the newest review of the newest result that has one; status and decision refer to it.',
          ),
        ...page,
      }),
      response: {
        200: z.object({
          items: z.array(reviewRow),
          total,
          skip: total,
          limit: total,
          decision_counts: counts,
          status_counts: counts,
        }),
        ...projectAnswers,
      },
    },
    handler: (request) => {
      const { skip, limit, latest_only: latestOnly, ...filter } = request.query;
      return aiReviews.list(projectIdOf(request), filter, { latestOnly, skip, limit });
    },
  });

  app.route({
    method: 'POST',
    url: '/task-results/ai-review/bulk',
    onRequest: app.inProject('write'),
    config: { audit: { action: 'reviews_requested', details: ['review_run_id'] } },
    schema: {
      ...common,
      operationId: 'request_ai_reviews',
      summary: 'Review the newest result of a task on each target of a chip',
      description:
        'Results whose review is under way are left out, and so are the copies of a measurement that covers a mux.',
      body: bulkReview,
      response: { 200: requestedReviews, ...projectAnswers, ...bodyAnswers, 409: errorBody },
    },
    handler: (request) => aiReviews.bulk(projectIdOf(request), actorOf(request), request.body),
  });
};
