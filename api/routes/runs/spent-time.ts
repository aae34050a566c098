import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import { chipTime, executionForecast, executionTime } from '../../../shared/domain/executions/time-model.ts';
import { CalibronError } from '../../../shared/kernel/errors.ts';
import { executionIdSchema } from '../../../shared/kernel/ids.ts';
import { instant } from '../../../shared/kernel/wire.ts';
import { projectIdOf } from '../../plugins/project-scope.ts';
import { bearer, projectAnswers, projectHeaders } from '../answers.ts';
import { fileBody } from '../file-answers.ts';

const common = { security: bearer, headers: projectHeaders };
const MS_PER_DAY = 86_400_000;
/** Days that one answer covers at most. */
const MAX_DAYS = 31;
const SVG = 'image/svg+xml; charset=utf-8';
const picture = (description: string) => ({
  description,
  content: { 'image/svg+xml': { schema: fileBody } },
});

const stretchQuery = z.object({
  from: instant().optional().describe('Default: a day before `to`.'),
  to: instant().optional().describe('Default, and at most: now.'),
});

/** The span of time that a query names. @throws bad_request */
function stretchOf({ from, to }: z.output<typeof stretchQuery>) {
  const now = new Date();
  const end = to === undefined || to > now ? now : to;
  const begin = from ?? new Date(end.getTime() - MS_PER_DAY);
  if (begin >= end || end.getTime() - begin.getTime() > MAX_DAYS * MS_PER_DAY) {
    throw new CalibronError(
      'bad_request',
      `The period must start before it ends and last at most ${MAX_DAYS} days.`,
    );
  }
  return { from: begin, to: end };
}

/** Where the time of executions and chips went, and how long a run still takes. */
export const spentTimeRoutes: FastifyPluginAsyncZod<Pick<Areas, 'chips' | 'executions' | 'runs'>> = async (
  app,
  { chips, executions, runs },
) => {
  const executionParams = z.object({ execution_id: executionIdSchema });
  const chipParams = z.object({ chip_id: z.string() });

  app.route({
    method: 'GET',
    url: '/executions/:execution_id/time',
    onRequest: app.inProject('read'),
    config: { isLargeRead: true },
    schema: {
      ...common,
      tags: ['executions'],
      operationId: 'get_execution_time',
      summary: 'Where the time of an execution went; the parts add up to the whole',
      params: executionParams,
      response: { 200: executionTime, ...projectAnswers },
    },
    handler: async (request) =>
      executions.time(await runs.current(projectIdOf(request), request.params.execution_id), new Date()),
  });

  app.route({
    method: 'GET',
    url: '/executions/:execution_id/time/picture',
    onRequest: app.inProject('read'),
    config: { isLargeRead: true },
    schema: {
      ...common,
      tags: ['executions'],
      operationId: 'get_execution_time_as_picture',
      summary: 'The same as a picture',
      params: executionParams,
      response: { 200: picture('Stacked bars over the time of the run.'), ...projectAnswers },
    },
    handler: async (request, reply) => {
      const execution = await runs.current(projectIdOf(request), request.params.execution_id);
      return reply.type(SVG).send(await executions.timePicture(execution, new Date()));
    },
  });

  app.route({
    method: 'GET',
    url: '/executions/:execution_id/forecast',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      tags: ['executions'],
      operationId: 'get_execution_forecast',
      summary: 'How long a run takes, by earlier runs of the same request and its own pace',
      params: executionParams,
      response: { 200: executionForecast, ...projectAnswers },
    },
    handler: async (request) =>
      executions.forecastOf(
        await runs.current(projectIdOf(request), request.params.execution_id),
        new Date(),
      ),
  });

  app.route({
    method: 'GET',
    url: '/chips/:chip_id/time',
    onRequest: app.inProject('read'),
    config: { isLargeRead: true },
    schema: {
      ...common,
      tags: ['chips'],
      operationId: 'get_chip_time',
      summary: 'Where the time of a chip went, such as a night: as a whole, and by hour or day',
      params: chipParams,
      querystring: stretchQuery.extend({ slice: z.enum(['hour', 'day']).optional() }),
      response: { 200: chipTime, ...projectAnswers },
    },
    handler: async (request) => {
      const { chip_id } = await chips.mustGet(projectIdOf(request), request.params.chip_id);
      const { slice, ...stretch } = request.query;
      return executions.chipTime(projectIdOf(request), chip_id, { ...stretchOf(stretch), slice });
    },
  });

  app.route({
    method: 'GET',
    url: '/chips/:chip_id/time/picture',
    onRequest: app.inProject('read'),
    config: { isLargeRead: true },
    schema: {
      ...common,
      tags: ['chips'],
      operationId: 'get_chip_time_as_picture',
      summary: 'The same as a picture',
      params: chipParams,
      querystring: stretchQuery,
      response: { 200: picture('Stacked bars over the time.'), ...projectAnswers },
    },
    handler: async (request, reply) => {
      const { chip_id } = await chips.mustGet(projectIdOf(request), request.params.chip_id);
      const stretch = stretchOf(request.query);
      return reply.type(SVG).send(await executions.chipTimePicture(projectIdOf(request), chip_id, stretch));
    },
  });
};
