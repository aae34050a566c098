import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import { issue, modelQuestion } from '../../../shared/domain/issues/model.ts';
import { answerStream, sendAnswerStream } from '../../events/answer-stream.ts';
import { actorOf } from '../../plugins/authentication.ts';
import { projectIdOf } from '../../plugins/project-scope.ts';
import { bearer, bodyAnswers, projectAnswers, projectHeaders } from '../answers.ts';

const common = { tags: ['issues'], security: bearer, headers: projectHeaders };
const params = z.object({ issue_id: z.string() });

const replyEvent = issue.extend({ type: z.literal('result') }).meta({ id: 'IssueReplyResultEvent' });

/** Replies of the language model in issues. */
export const issueAiReplyRoutes: FastifyPluginAsyncZod<Pick<Areas, 'issues'>> = async (app, { issues }) => {
  app.route({
    method: 'POST',
    url: '/issues/:issue_id/ai-reply/stream',
    onRequest: app.inProject('read'),
    config: { audit: 'ai_reply_asked' },
    schema: {
      ...common,
      operationId: 'stream_issue_reply',
      summary: 'Have the language model reply in an issue, and follow it',
      params,
      body: modelQuestion,
      response: { 200: answerStream(replyEvent), ...projectAnswers, ...bodyAnswers },
    },
    handler: (request, reply) =>
      sendAnswerStream(app, { request, reply }, (progress) =>
        issues.replyByModel(
          { projectId: projectIdOf(request), issueId: request.params.issue_id },
          request.body.user_message,
          actorOf(request),
          progress,
        ),
      ),
  });
};
