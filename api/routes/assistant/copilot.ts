import type { FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import {
  analysis,
  analyzeBody,
  chatAnswer,
  chatBody,
  copilotConfig,
} from '../../../shared/domain/copilot/model.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import { shareUserId } from '../../../shared/kernel/sharing-accounts.ts';
import { integer } from '../../../shared/kernel/wire.ts';
import { answerStream, sendAnswerStream } from '../../events/answer-stream.ts';
import { callerOf } from '../../plugins/authentication.ts';
import { projectIdOf } from '../../plugins/project-scope.ts';
import {
  bearer,
  bodyAnswers,
  projectAnswers,
  projectHeaders,
  publicAnswers,
  tokenAnswers,
} from '../answers.ts';
import { fileAnswers } from '../file-answers.ts';
import { flowDraftRoutes } from './flow-drafts.ts';

const common = { tags: ['copilot'], security: bearer, headers: projectHeaders };
/** Error responses of routes that call a language model. */
const modelAnswers = { ...projectAnswers, ...bodyAnswers, 502: errorBody };
/** Errors after the start of the stream are reported as events. */
const streamAnswers = { ...projectAnswers, ...bodyAnswers };
const analysisEvent = analysis.extend({ type: z.literal('result') }).meta({ id: 'AnalysisResultEvent' });
const chatEvent = chatAnswer.extend({ type: z.literal('result') }).meta({ id: 'ChatResultEvent' });
/** Answers have no side effects. */
const unaudited = { audit: null };

const askerOf = (request: FastifyRequest) => ({
  projectId: projectIdOf(request),
  shareUserId: shareUserId(callerOf(request).user),
});

/** The assistant. */
export const copilotRoutes: FastifyPluginAsyncZod<Pick<Areas, 'copilot'>> = async (app, options) => {
  const { copilot } = options;

  app.route({
    method: 'GET',
    url: '/copilot/config',
    onRequest: app.signedIn,
    schema: {
      tags: ['copilot'],
      security: bearer,
      operationId: 'get_copilot_config',
      summary: 'Which models and suggestions the assistant has; no prompt, no address, no key',
      response: { 200: copilotConfig, ...tokenAnswers },
    },
    handler: () => copilot.config(),
  });

  app.route({
    method: 'POST',
    url: '/copilot/analyze',
    onRequest: app.inProject('read'),
    config: unaudited,
    schema: {
      ...common,
      operationId: 'analyze_task_result',
      summary: 'Explain a task result, by a language model or the built-in rules',
      body: analyzeBody,
      response: { 200: analysis, ...modelAnswers },
    },
    handler: (request) => copilot.analyze(askerOf(request), request.body),
  });

  app.route({
    method: 'POST',
    url: '/copilot/analyze/stream',
    onRequest: app.inProject('read'),
    config: unaudited,
    schema: {
      ...common,
      operationId: 'stream_task_result_analysis',
      summary: 'The same, with events about its progress',
      body: analyzeBody,
      response: { 200: answerStream(analysisEvent), ...streamAnswers },
    },
    handler: (request, reply) =>
      sendAnswerStream(app, { request, reply }, async ({ step, signal }) => {
        const answer = await copilot.analyze(askerOf(request), request.body, { signal, onStep: step });
        step('complete', 'Done.');
        return answer;
      }),
  });

  app.route({
    method: 'POST',
    url: '/copilot/chat',
    onRequest: app.inProject('read'),
    config: unaudited,
    schema: {
      ...common,
      operationId: 'chat_with_copilot',
      summary: 'Ask the assistant about a chip, a qubit or anything else',
      body: chatBody,
      response: { 200: chatAnswer, ...modelAnswers },
    },
    handler: (request) => copilot.chat(askerOf(request), request.body),
  });

  app.route({
    method: 'POST',
    url: '/copilot/chat/stream',
    onRequest: app.inProject('read'),
    config: unaudited,
    schema: {
      ...common,
      operationId: 'stream_copilot_chat',
      summary: 'The same as a stream, word by word',
      body: chatBody,
      response: { 200: answerStream(chatEvent), ...streamAnswers },
    },
    handler: (request, reply) =>
      sendAnswerStream(app, { request, reply }, async ({ step, text, signal }) => {
        const following = { signal, onStep: step, onText: text };
        const answer = await copilot.chat(askerOf(request), request.body, following);
        step('complete', 'Done.');
        return answer;
      }),
  });

  app.route({
    method: 'GET',
    url: '/copilot/expected-image',
    schema: {
      tags: ['copilot'],
      operationId: 'get_expected_image',
      summary: 'A picture of what a good result of a task looks like',
      querystring: z.object({
        task_name: z.string(),
        index: integer({ min: 0, max: 1000 }).prefault(0),
      }),
      response: {
        ...fileAnswers(['image/png', 'image/jpeg', 'image/gif', 'image/webp'], 'The picture.'),
        ...publicAnswers,
        404: errorBody,
      },
    },
    handler: async (request, reply) => {
      const { task_name: name, index } = request.query;
      const { content, mediaType } = await copilot.expectedImage(name, index);
      return reply.type(mediaType).send(content);
    },
  });

  await app.register(flowDraftRoutes, options);
};
