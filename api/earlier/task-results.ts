import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../shared/domain/areas.ts';
import { targetKinds } from '../../shared/domain/chips/model.ts';
import { errorBody } from '../../shared/domain/errors.ts';
import { type LatestEntry, outputName } from '../../shared/domain/results/model.ts';
import type { ProjectId } from '../../shared/kernel/ids.ts';
import { calendarDayText, instant } from '../../shared/kernel/wire.ts';
import { projectIdOf } from '../plugins/project-scope.ts';
import { projectAnswers } from '../routes/answers.ts';
import { type EarlierOptions, userProjectHeaders } from './answers.ts';
import { judgedResults, judgedResultsOf, seriesOf, valueSeries } from './result-shapes.ts';

const taskOfChip = z.object({ chip_id: z.string(), task_name: z.string() });

/** A day as `YYYYMMDD` or `YYYY-MM-DD`. */
const recordedDate = z
  .string()
  .transform((given) => (/^\d{4}-\d{2}-\d{2}$/.test(given) ? given.replaceAll('-', '') : given))
  .pipe(calendarDayText());

const parameterOfChip = z.object({ chip_id: z.string(), parameter: outputName });
const seriesQuery = z.object({
  tag: z.string().describe('Only results of executions with this tag; empty: of all.'),
  start_at: instant().describe('Started at or after this moment.'),
  end_at: instant().describe('Started at or before this moment.'),
});

type Options = Pick<Areas, 'chips' | 'results'> & EarlierOptions;

/** The results of a task on every target of a chip, without outliers, and time series of an output. */
export const taskResultRoutes: FastifyPluginAsyncZod<Options> = async (app, options) => {
  const { chips, results, identity } = options;
  const common = { tags: ['chip'], security: identity.security, headers: userProjectHeaders };

  for (const kind of targetKinds) {
    app.route({
      method: 'GET',
      url: `/chip/:chip_id/task/${kind}/:task_name`,
      onRequest: identity.inProject('read'),
      config: { isLargeRead: true },
      schema: {
        ...common,
        operationId: `list_latest_${kind}_results`,
        summary: `The newest result of a task for every ${kind} of a chip; outliers are null`,
        params: taskOfChip,
        response: { 200: judgedResults, ...projectAnswers },
      },
      handler: async (request) => {
        const { chip_id, task_name: task } = request.params;
        const entries: (readonly [string, LatestEntry])[] = [];
        const pages = await chips.targetResults.latest(kind, projectIdOf(request), { chip_id, task });
        // Outliers are found among all of them.
        for await (const page of pages) entries.push(...page);
        return judgedResultsOf({ task_name: task, result: Object.fromEntries(entries) });
      },
    });

    app.route({
      method: 'GET',
      url: `/chip/:chip_id/task/${kind}/:task_name/history/:recorded_date`,
      onRequest: identity.inProject('read'),
      config: { isLargeRead: true },
      schema: {
        ...common,
        operationId: `list_${kind}_results_of_day`,
        summary: `The newest result of a task on a day, for every ${kind} recorded that day; outliers are null`,
        params: taskOfChip.extend({ recorded_date: recordedDate }),
        response: { 200: judgedResults, ...projectAnswers },
      },
      handler: async (request) => {
        const { chip_id, task_name: task, recorded_date: date } = request.params;
        const query = { chip_id, task, date };
        return judgedResultsOf(await chips.targetResults.ofDay(kind, projectIdOf(request), query));
      },
    });
  }

  const series = async (projectId: ProjectId, query: Parameters<typeof results.series>[1]) => {
    await chips.mustGet(projectId, query.chip_id);
    return seriesOf(await results.series(projectId, query));
  };

  app.route({
    method: 'GET',
    url: '/chip/:chip_id/parameter/:parameter',
    onRequest: identity.inProject('read'),
    config: { isLargeRead: true },
    schema: {
      ...common,
      operationId: 'get_parameter_series',
      summary: 'One output over time for each target',
      params: parameterOfChip,
      querystring: seriesQuery,
      response: { 200: valueSeries, ...projectAnswers, 413: errorBody },
    },
    handler: (request) => series(projectIdOf(request), { ...request.params, ...request.query }),
  });

  app.route({
    method: 'GET',
    url: '/chip/:chip_id/parameter/:parameter/qid/:qid',
    onRequest: identity.inProject('read'),
    schema: {
      ...common,
      operationId: 'get_parameter_series_of_target',
      summary: 'One output of one target over time',
      params: parameterOfChip.extend({ qid: z.string() }),
      querystring: seriesQuery,
      response: { 200: valueSeries, ...projectAnswers, 413: errorBody },
    },
    handler: (request) => series(projectIdOf(request), { ...request.params, ...request.query }),
  });
};
