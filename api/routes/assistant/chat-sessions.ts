import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import {
  appendedMessages,
  chatSession,
  chatSessionChange,
  chatSessionList,
  chatSessionPage,
  deletedAnswer,
  newChatSession,
} from '../../../shared/domain/chat-sessions/model.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import { actorOf } from '../../plugins/authentication.ts';
import { pageOfUnknown } from '../../plugins/page-links.ts';
import { bearer, bodyAnswers, tokenAnswers } from '../answers.ts';

const common = { tags: ['copilot'], security: bearer };
const params = z.object({ session_id: z.string() });
const ownAnswers = { ...tokenAnswers, 404: errorBody };

/** Conversations with the assistant; each user sees their own. */
export const chatSessionRoutes: FastifyPluginAsyncZod<Pick<Areas, 'chatSessions'>> = async (
  app,
  { chatSessions },
) => {
  app.route({
    method: 'GET',
    url: '/copilot/chat/sessions',
    onRequest: app.signedIn,
    schema: {
      ...common,
      operationId: 'list_chat_sessions',
      summary: 'Your chat sessions, most recently used first',
      querystring: chatSessionPage,
      response: { 200: chatSessionList, ...tokenAnswers },
    },
    handler: async (request, reply) => ({
      sessions: await pageOfUnknown(
        reply,
        request.query,
        async (page) => (await chatSessions.list(actorOf(request).user_id, page)).sessions,
      ),
    }),
  });

  app.route({
    method: 'POST',
    url: '/copilot/chat/sessions',
    onRequest: app.signedIn,
    config: { audit: null },
    schema: {
      ...common,
      operationId: 'create_chat_session',
      summary: 'Start a chat session',
      body: newChatSession,
      response: { 200: chatSession, ...tokenAnswers, ...bodyAnswers, 409: errorBody },
    },
    handler: (request) => chatSessions.create(actorOf(request).user_id, request.body),
  });

  app.route({
    method: 'GET',
    url: '/copilot/chat/sessions/:session_id',
    onRequest: app.signedIn,
    schema: {
      ...common,
      operationId: 'get_chat_session',
      summary: 'A chat session with its messages',
      params,
      response: { 200: chatSession, ...ownAnswers },
    },
    handler: (request) => chatSessions.read(actorOf(request).user_id, request.params.session_id),
  });

  app.route({
    method: 'PATCH',
    url: '/copilot/chat/sessions/:session_id',
    onRequest: app.signedIn,
    config: { audit: null },
    schema: {
      ...common,
      operationId: 'update_chat_session',
      summary: 'Change a chat session; fields that are null or absent stay as they are',
      params,
      body: chatSessionChange,
      response: { 200: chatSession, ...ownAnswers, ...bodyAnswers },
    },
    handler: (request) =>
      chatSessions.change(actorOf(request).user_id, request.params.session_id, request.body),
  });

  app.route({
    method: 'POST',
    url: '/copilot/chat/sessions/:session_id/messages',
    onRequest: app.signedIn,
    config: { audit: null },
    schema: {
      ...common,
      operationId: 'append_chat_messages',
      summary: 'Append messages to a chat session; concurrent appends are not lost',
      params,
      body: appendedMessages,
      response: { 200: chatSession, ...ownAnswers, ...bodyAnswers },
    },
    handler: (request) =>
      chatSessions.append(actorOf(request).user_id, request.params.session_id, request.body.messages),
  });

  app.route({
    method: 'DELETE',
    url: '/copilot/chat/sessions/:session_id',
    onRequest: app.signedIn,
    config: { audit: null },
    schema: {
      ...common,
      operationId: 'delete_chat_session',
      summary: 'Delete a chat session',
      params,
      response: { 200: deletedAnswer, ...ownAnswers },
    },
    handler: async (request) => {
      await chatSessions.remove(actorOf(request).user_id, request.params.session_id);
      return { deleted: true };
    },
  });
};
