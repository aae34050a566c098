import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../shared/domain/areas.ts';
import { errorBody } from '../../shared/domain/errors.ts';
import {
  cronSlot,
  cronSlotList,
  menuSchedule,
  newCronSlot,
  newMenuSchedule,
} from '../../shared/domain/menu-schedules/model.ts';
import { callerOf } from '../plugins/authentication.ts';
import { projectIdOf } from '../plugins/project-scope.ts';
import { bodyAnswers, projectAnswers } from '../routes/answers.ts';
import { type EarlierOptions, userProjectHeaders } from './answers.ts';

type Options = Pick<Areas, 'menuSchedules'> & EarlierOptions;

/** Schedules of menus: one-time runs, and recurring runs in five slots. */
export const scheduleRoutes: FastifyPluginAsyncZod<Options> = async (app, { menuSchedules, identity }) => {
  const common = { tags: ['calibration'], security: identity.security, headers: userProjectHeaders };

  app.route({
    method: 'GET',
    url: '/calibration/schedule',
    onRequest: identity.inProject('read', 'default user'),
    schema: {
      ...common,
      operationId: 'list_schedules',
      summary: 'Menus that are scheduled to run once, the next one first',
      response: { 200: z.array(menuSchedule), ...projectAnswers },
    },
    handler: (request) => menuSchedules.list(projectIdOf(request)),
  });

  app.route({
    method: 'POST',
    url: '/calibration/schedule',
    onRequest: identity.inProject('write'),
    config: { audit: { action: 'schedule_created', target: 'menu_name', details: ['scheduled_time'] } },
    schema: {
      ...common,
      operationId: 'create_schedule',
      summary: 'Run a menu once, as it is now, at a set time',
      body: newMenuSchedule,
      response: { 200: menuSchedule, ...projectAnswers, ...bodyAnswers, 409: errorBody },
    },
    handler: (request) => menuSchedules.create(projectIdOf(request), callerOf(request).user, request.body),
  });

  app.route({
    method: 'DELETE',
    url: '/calibration/schedule/:flow_run_id',
    onRequest: identity.inProject('write', 'default user'),
    config: { audit: 'schedule_deleted' },
    schema: {
      ...common,
      operationId: 'delete_schedule',
      summary: 'Cancel a menu that was scheduled to run once',
      params: z.object({ flow_run_id: z.string() }),
      response: { 200: z.array(z.never()).describe('Always empty.'), ...projectAnswers, ...bodyAnswers },
    },
    handler: async (request) => {
      await menuSchedules.remove(projectIdOf(request), request.params.flow_run_id);
      return [];
    },
  });

  app.route({
    method: 'GET',
    url: '/calibration/cron-schedule',
    onRequest: identity.inProject('read', 'default user'),
    schema: {
      ...common,
      operationId: 'list_cron_schedules',
      summary: 'The five slots in which menus run repeatedly',
      response: { 200: cronSlotList, ...projectAnswers },
    },
    handler: async (request) => ({ schedules: await menuSchedules.slots(projectIdOf(request)) }),
  });

  app.route({
    method: 'POST',
    url: '/calibration/cron-schedule',
    onRequest: identity.inProject('write'),
    config: {
      audit: { action: 'schedule_created', target: 'menu_name', details: ['cron', 'scheduler_name'] },
    },
    schema: {
      ...common,
      operationId: 'fill_cron_schedule',
      summary: 'Set the menu and the cron of a slot',
      body: newCronSlot,
      response: { 200: cronSlot, ...projectAnswers, ...bodyAnswers, 409: errorBody },
    },
    handler: (request) => menuSchedules.fill(projectIdOf(request), callerOf(request).user, request.body),
  });
};
