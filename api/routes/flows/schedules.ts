import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import {
  dueTimes,
  dueTimesQuery,
  newSchedule,
  scheduleAnswer,
  scheduleChange,
  scheduleChanged,
  scheduleDeleted,
  scheduleList,
} from '../../../shared/domain/schedules/model.ts';
import { integer } from '../../../shared/kernel/wire.ts';
import { callerOf } from '../../plugins/authentication.ts';
import { projectIdOf } from '../../plugins/project-scope.ts';
import { bearer, bodyAnswers, projectAnswers, projectHeaders } from '../answers.ts';

const common = { tags: ['schedules'], security: bearer, headers: projectHeaders };
const flowParams = z.object({ name: z.string() });
const scheduleParams = z.object({ schedule_id: z.string() });

/** Most schedules of a page. A larger `limit` is answered with a page of this size, as existing clients expect. */
const LARGEST_PAGE = 100;

const page = z.object({
  limit: integer({ min: 1 })
    .prefault(50)
    .transform((limit) => Math.min(limit, LARGEST_PAGE))
    .describe(`Schedules of a page; more than ${LARGEST_PAGE} counts as ${LARGEST_PAGE}`),
  offset: integer({ min: 0 }).prefault(0),
});

export const scheduleRoutes: FastifyPluginAsyncZod<Pick<Areas, 'schedules'>> = async (app, { schedules }) => {
  app.route({
    method: 'POST',
    url: '/flows/:name/schedule',
    onRequest: app.inProject('write'),
    config: { audit: { action: 'schedule_created', details: ['schedule_id', 'cron', 'scheduled_time'] } },
    schema: {
      ...common,
      operationId: 'schedule_flow',
      summary: 'Schedule runs of a flow: by a cron, which replaces its earlier one, or once',
      params: flowParams,
      body: newSchedule,
      response: { 200: scheduleAnswer, ...projectAnswers, ...bodyAnswers, 409: errorBody },
    },
    handler: (request) =>
      schedules.create(projectIdOf(request), callerOf(request).user, request.params.name, request.body),
  });

  app.route({
    method: 'GET',
    url: '/flows/schedules',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'list_schedules',
      summary: 'The schedules of the project: by their next due time, then what is paused, then what is over',
      querystring: page,
      response: { 200: scheduleList, ...projectAnswers },
    },
    handler: (request) => schedules.list(projectIdOf(request), undefined, request.query),
  });

  app.route({
    method: 'GET',
    url: '/flows/schedules/due-times',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'preview_due_times',
      summary: 'When a cron would be due next; nothing is scheduled',
      querystring: dueTimesQuery,
      response: { 200: dueTimes, ...projectAnswers },
    },
    handler: async (request) => schedules.dueTimes(request.query),
  });

  app.route({
    method: 'GET',
    url: '/flows/:name/schedules',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'list_flow_schedules',
      summary: 'The schedules of a flow: by their next due time, then what is paused, then what is over',
      params: flowParams,
      querystring: page,
      response: { 200: scheduleList, ...projectAnswers },
    },
    handler: (request) => schedules.list(projectIdOf(request), request.params.name, request.query),
  });

  app.route({
    method: 'PATCH',
    url: '/flows/schedules/:schedule_id',
    onRequest: app.inProject('write'),
    config: { audit: { action: 'schedule_changed', details: ['cron', 'active'] } },
    schema: {
      ...common,
      operationId: 'change_schedule',
      summary: 'Pause, resume, change or take over a schedule',
      params: scheduleParams,
      body: scheduleChange,
      response: { 200: scheduleChanged, ...projectAnswers, ...bodyAnswers, 409: errorBody },
    },
    handler: async (request) => {
      const { schedule_id } = request.params;
      const { active } = await schedules.change(
        projectIdOf(request),
        callerOf(request).user,
        schedule_id,
        request.body,
      );
      return { message: `The schedule was changed; it is ${active ? 'active' : 'paused'}.`, schedule_id };
    },
  });

  app.route({
    method: 'DELETE',
    url: '/flows/schedules/:schedule_id',
    onRequest: app.inProject('write'),
    config: { audit: 'schedule_deleted' },
    schema: {
      ...common,
      operationId: 'delete_schedule',
      summary: 'Delete a schedule',
      params: scheduleParams,
      response: { 200: scheduleDeleted, ...projectAnswers, ...bodyAnswers },
    },
    handler: async (request) => {
      const { schedule_id } = request.params;
      const { schedule_type } = await schedules.delete(projectIdOf(request), schedule_id);
      return { message: 'The schedule was deleted.', schedule_id, schedule_type };
    },
  });
};
