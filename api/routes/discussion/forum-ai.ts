import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import { aiQuestion, post } from '../../../shared/domain/forum/model.ts';
import { answerStream, sendAnswerStream } from '../../events/answer-stream.ts';
import { projectIdOf } from '../../plugins/project-scope.ts';
import { bearer, bodyAnswers, projectAnswers, projectHeaders } from '../answers.ts';

const replyEvent = post.extend({ type: z.literal('result') }).meta({ id: 'ForumReplyResultEvent' });

/** Replies of the language model, streamed as events while they are generated. */
export const forumAiRoutes: FastifyPluginAsyncZod<Pick<Areas, 'forum'>> = async (app, { forum }) => {
  app.route({
    method: 'POST',
    url: '/forum/posts/:post_id/ai-reply/stream',
    onRequest: app.inProject('read'),
    config: { audit: 'ai_reply_asked' },
    schema: {
      tags: ['forum'],
      security: bearer,
      headers: projectHeaders,
      operationId: 'stream_forum_ai_reply',
      summary:
        'Have the language model reply in a thread; `result` is the reply, which the thread has from then on',
      params: z.object({ post_id: z.string() }),
      body: aiQuestion,
      response: { 200: answerStream(replyEvent), ...projectAnswers, ...bodyAnswers },
    },
    handler: (request, reply) =>
      sendAnswerStream(app, { request, reply }, (progress) =>
        forum.answer(projectIdOf(request), request.params.post_id, request.body.user_message, progress),
      ),
  });
};
