import type { FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import {
  inbox,
  inboxPage,
  notification,
  readAllAnswer,
  unreadCount,
} from '../../../shared/domain/notifications/model.ts';
import { callerOf } from '../../plugins/authentication.ts';
import { projectInHeader } from '../../plugins/project-scope.ts';
import { bearer, bodyAnswers, projectHeaders, tokenAnswers } from '../answers.ts';

const common = { tags: ['notifications'], security: bearer };
const headers = projectHeaders.extend({
  'x-project-id': z.string().optional().describe('Only of this project; without it of all.'),
});

export const notificationRoutes: FastifyPluginAsyncZod<Pick<Areas, 'notifications'>> = async (
  app,
  { notifications },
) => {
  const { inboxes } = notifications;
  app.metrics.watch(
    'calibron_notification_failures',
    'Posts, issues and notes since the start of this process whose readers were not notified.',
    notifications.failures,
  );

  /** The caller's inbox, limited to the project in the header, if any. The entries belong to the caller in any project. */
  function inboxOf(request: FastifyRequest) {
    return {
      userId: callerOf(request).user._id,
      projectId: projectInHeader(request) || undefined,
    };
  }

  app.route({
    method: 'GET',
    url: '/notifications',
    onRequest: app.signedIn,
    schema: {
      ...common,
      operationId: 'list_notifications',
      summary: 'Your inbox, newest first',
      headers,
      querystring: inboxPage,
      response: { 200: inbox, ...tokenAnswers },
    },
    handler: (request) => inboxes.list(inboxOf(request), request.query),
  });

  app.route({
    method: 'GET',
    url: '/notifications/unread-count',
    onRequest: app.signedIn,
    schema: {
      ...common,
      operationId: 'count_unread_notifications',
      summary: 'How many notifications you have not read',
      headers,
      response: { 200: unreadCount, ...tokenAnswers },
    },
    handler: async (request) => ({ unread_count: await inboxes.countUnread(inboxOf(request)) }),
  });

  app.route({
    method: 'PATCH',
    url: '/notifications/:notification_id/read',
    onRequest: app.signedIn,
    config: { audit: null },
    schema: {
      ...common,
      operationId: 'read_notification',
      summary: 'Mark one of your notifications as read',
      params: z.object({ notification_id: z.string() }),
      response: { 200: notification, ...tokenAnswers, ...bodyAnswers, 404: errorBody },
    },
    handler: (request) => inboxes.read(callerOf(request).user._id, request.params.notification_id),
  });

  app.route({
    method: 'PATCH',
    url: '/notifications/read-all',
    onRequest: app.signedIn,
    config: { audit: null },
    schema: {
      ...common,
      operationId: 'read_all_notifications',
      summary: 'Mark all of your notifications as read',
      headers,
      response: { 200: readAllAnswer, ...tokenAnswers, ...bodyAnswers },
    },
    handler: async (request) => ({ updated: await inboxes.readAll(inboxOf(request)) }),
  });
};
