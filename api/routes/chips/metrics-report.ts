import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import { metricsQuery } from '../../../shared/domain/metrics/model.ts';
import { callerOf } from '../../plugins/authentication.ts';
import { projectIdOf } from '../../plugins/project-scope.ts';
import { bearer, bodyAnswers, projectAnswers, projectHeaders } from '../answers.ts';
import { fileBody } from '../file-answers.ts';

const inProject = { tags: ['metrics'], security: bearer, headers: projectHeaders };
const chipParams = z.object({ chip_id: z.string() });

/** The report on the metrics of a chip. */
export const metricsReportRoutes: FastifyPluginAsyncZod<Pick<Areas, 'metrics'>> = async (
  app,
  { metrics },
) => {
  app.route({
    method: 'POST',
    url: '/metrics/chips/:chip_id/metrics/pdf',
    onRequest: app.inProject('read'),
    config: { audit: null, isLargeRead: true },
    schema: {
      ...inProject,
      operationId: 'get_metrics_report',
      summary: 'The metrics of a chip as a report to print',
      params: chipParams,
      querystring: metricsQuery,
      response: {
        200: { description: 'The report.', content: { 'application/pdf': { schema: fileBody } } },
        ...projectAnswers,
        ...bodyAnswers,
      },
    },
    handler: async (request, reply) => {
      const { username } = callerOf(request).user;
      const { chip_id } = request.params;
      const report = await metrics.report(projectIdOf(request), username, chip_id, request.query);
      return reply
        .header('content-type', 'application/pdf')
        .header('content-disposition', `attachment; filename="${report.name}"`)
        .send(report.content);
    },
  });
};
