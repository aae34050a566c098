import type { FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import { draftBody, flowDraft } from '../../../shared/domain/copilot/model.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import { shareUserId } from '../../../shared/kernel/sharing-accounts.ts';
import { answerStream, sendAnswerStream } from '../../events/answer-stream.ts';
import { callerOf } from '../../plugins/authentication.ts';
import { projectIdOf } from '../../plugins/project-scope.ts';
import { bearer, bodyAnswers, projectAnswers, projectHeaders } from '../answers.ts';

const common = { tags: ['flows'], security: bearer, headers: projectHeaders };
/** Answers have no side effects. */
const unaudited = { audit: null };
const flowParams = z.object({ name: z.string() });

const draftEvent = flowDraft.extend({ type: z.literal('complete') }).meta({ id: 'FlowDraftCompleteEvent' });

/** Events of a draft before its last one. */
const draftPieces = [
  z.object({ type: z.literal('summary_delta'), delta: z.string() }).meta({ id: 'FlowDraftSummaryEvent' }),
  z.object({ type: z.literal('diff'), diff: z.string() }).meta({ id: 'FlowDraftDiffEvent' }),
];

const shareOf = (request: FastifyRequest) => ({
  user: shareUserId(callerOf(request).user),
  project: projectIdOf(request),
});

/** Flows that the assistant drafts. */
export const flowDraftRoutes: FastifyPluginAsyncZod<Pick<Areas, 'copilot'>> = async (app, { copilot }) => {
  app.route({
    method: 'POST',
    url: '/flows/:name/agent/codex',
    onRequest: app.inProject('write'),
    config: unaudited,
    schema: {
      ...common,
      operationId: 'draft_flow',
      summary: 'Have a language model draft or change a flow; it is checked, and not saved',
      params: flowParams,
      body: draftBody,
      response: { 200: flowDraft, ...projectAnswers, ...bodyAnswers, 502: errorBody },
    },
    handler: (request) => copilot.draft(shareOf(request), request.params.name, request.body),
  });

  app.route({
    method: 'POST',
    url: '/flows/:name/agent/codex/stream',
    onRequest: app.inProject('write'),
    config: unaudited,
    schema: {
      ...common,
      operationId: 'stream_flow_draft',
      summary:
        'The same, with events about its progress: `summary_delta`, `diff`, then `complete` with the draft',
      params: flowParams,
      body: draftBody,
      response: { 200: answerStream(draftEvent, draftPieces), ...projectAnswers, ...bodyAnswers },
    },
    handler: (request, reply) =>
      sendAnswerStream(
        app,
        { request, reply },
        async ({ step, event, signal }) => {
          const onStep = (message: string) => step('run_chat', message);
          const { name } = request.params;
          const draft = await copilot.draft(shareOf(request), name, request.body, { signal, onStep });
          event('summary_delta', { delta: draft.summary });
          event('diff', { diff: draft.diff });
          return draft;
        },
        'complete',
      ),
  });
};
