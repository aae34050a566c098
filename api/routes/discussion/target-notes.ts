import type { FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import { targetKinds } from '../../../shared/domain/chips/model.ts';
import { comment, type NoteTarget, noteText, scopeQuery } from '../../../shared/domain/notes/model.ts';
import { messageBody, noteBody } from '../../../shared/kernel/wire.ts';
import { actorOf, type callerOf } from '../../plugins/authentication.ts';
import { projectIdOf } from '../../plugins/project-scope.ts';
import {
  bearer,
  bodyAnswers,
  projectAnswers,
  projectHeaders,
  savingAnswers,
  savingHeaders,
  taggedAnswers,
} from '../answers.ts';
import { preconditionOf, tagged } from '../tagged-answers.ts';

const common = { tags: ['notes'], security: bearer, headers: projectHeaders };

const qubitParams = z.object({ chip_id: z.string(), qid: z.string() });
const couplingParams = z.object({ chip_id: z.string(), coupling_id: z.string() });
const metric = { metric_key: z.string() };
const ofComment = { comment_id: z.string() };

/** Qubits and couplings have the same routes, except for the path segment that names the target. */
const addresses = {
  qubit: {
    base: '/chips/:chip_id/qubits/:qid',
    params: qubitParams,
    metricParams: qubitParams.extend(metric),
    commentParams: qubitParams.extend(ofComment),
  },
  coupling: {
    base: '/chips/:chip_id/couplings/:coupling_id',
    params: couplingParams,
    metricParams: couplingParams.extend(metric),
    commentParams: couplingParams.extend(ofComment),
  },
};

/** The target given in the path. */
function targetOf(params: { qid: string } | { coupling_id: string }): NoteTarget {
  return 'qid' in params ? { kind: 'qubit', qid: params.qid } : { kind: 'coupling', qid: params.coupling_id };
}

/** The target given in the path, or one of its metrics. */
function subjectOf(params: Parameters<typeof targetOf>[0] & { metric_key?: string }) {
  return { target: targetOf(params), metric: params.metric_key ?? null };
}

/** The chip given in the path. */
function chipOf(request: FastifyRequest & { params: { chip_id: string } }) {
  return { projectId: projectIdOf(request), chipId: request.params.chip_id };
}

/** Notes on qubits and couplings and on their metrics. */
export const targetNoteRoutes: FastifyPluginAsyncZod<Pick<Areas, 'notes'>> = async (app, options) => {
  const { ofTarget } = options.notes;
  await app.register(commentRoutes, options);

  for (const kind of targetKinds) {
    const { base, params, metricParams } = addresses[kind];
    const subjects = [
      { url: `${base}/note`, params, id: `${kind}_note`, named: `a ${kind}` },
      {
        url: `${base}/metric-notes/:metric_key`,
        params: metricParams,
        id: `${kind}_metric_note`,
        named: `a metric of a ${kind}`,
      },
    ];
    for (const { url, params, id, named } of subjects) {
      app.route({
        method: 'GET',
        url,
        onRequest: app.inProject('read'),
        schema: {
          ...common,
          operationId: `get_${id}`,
          summary: `The note of ${named}; an empty one where there is none`,
          params,
          querystring: scopeQuery,
          response: { 200: noteBody, ...projectAnswers, ...taggedAnswers },
        },
        handler: async (request, reply) =>
          tagged(reply, await ofTarget.read(chipOf(request), subjectOf(request.params), request.query)),
      });

      app.route({
        method: 'PUT',
        url,
        onRequest: app.inProject('write'),
        config: { audit: 'note_written' },
        schema: {
          ...common,
          operationId: `put_${id}`,
          summary: `Write the note of ${named}`,
          params,
          querystring: scopeQuery,
          headers: savingHeaders,
          body: noteText,
          response: { 200: noteBody, ...projectAnswers, ...bodyAnswers, ...savingAnswers },
        },
        handler: async (request, reply) =>
          tagged(
            reply,
            await ofTarget.put(chipOf(request), subjectOf(request.params), request.query, {
              content: request.body.content,
              actor: actorOf(request),
              precondition: preconditionOf(request),
            }),
          ),
      });

      app.route({
        method: 'DELETE',
        url,
        onRequest: app.inProject('write'),
        config: { audit: 'note_deleted' },
        schema: {
          ...common,
          operationId: `delete_${id}`,
          summary: `Remove the note of ${named}`,
          headers: savingHeaders,
          params,
          querystring: scopeQuery,
          response: { 200: messageBody, ...projectAnswers, ...savingAnswers },
        },
        handler: async (request) => {
          await ofTarget.remove(chipOf(request), subjectOf(request.params), request.query, {
            actor: actorOf(request),
            precondition: preconditionOf(request),
          });
          return { message: 'The note is deleted.' };
        },
      });
    }
  }
};

/** Comments. Every member may write comments and change their own. */
const commentRoutes: FastifyPluginAsyncZod<Pick<Areas, 'notes'>> = async (app, { notes }) => {
  const { comments } = notes;
  const editorOf = (request: Parameters<typeof callerOf>[0]) => ({
    ...actorOf(request),
    isAdministrator: app.actsAsAdministrator(request),
  });

  for (const kind of targetKinds) {
    const { base, params, commentParams } = addresses[kind];

    app.route({
      method: 'POST',
      url: `${base}/note/comments`,
      onRequest: app.inProject('read'),
      config: { audit: 'note_written' },
      schema: {
        ...common,
        operationId: `create_${kind}_comment`,
        summary: `Comment on a ${kind}`,
        params,
        querystring: scopeQuery,
        body: noteText,
        response: { 200: comment, ...projectAnswers, ...bodyAnswers },
      },
      handler: async (request, reply) =>
        tagged(
          reply,
          await comments.create(chipOf(request), targetOf(request.params), request.query, {
            content: request.body.content,
            actor: actorOf(request),
          }),
        ),
    });

    app.route({
      method: 'PUT',
      url: `${base}/note/comments/:comment_id`,
      onRequest: app.inProject('read'),
      config: { audit: 'note_written' },
      schema: {
        ...common,
        operationId: `update_${kind}_comment`,
        summary: 'Change a comment of your own',
        headers: savingHeaders,
        params: commentParams,
        querystring: scopeQuery,
        body: noteText,
        response: { 200: comment, ...projectAnswers, ...bodyAnswers, ...savingAnswers },
      },
      handler: async (request, reply) =>
        tagged(
          reply,
          await comments.change(
            chipOf(request),
            { target: targetOf(request.params), commentId: request.params.comment_id },
            { content: request.body.content, precondition: preconditionOf(request) },
            editorOf(request),
          ),
        ),
    });

    app.route({
      method: 'DELETE',
      url: `${base}/note/comments/:comment_id`,
      onRequest: app.inProject('read'),
      config: { audit: 'note_deleted' },
      schema: {
        ...common,
        operationId: `delete_${kind}_comment`,
        summary: 'Remove a comment of your own',
        headers: savingHeaders,
        params: commentParams,
        querystring: scopeQuery,
        response: { 200: messageBody, ...projectAnswers, ...savingAnswers },
      },
      handler: async (request) => {
        await comments.remove(
          chipOf(request),
          { target: targetOf(request.params), commentId: request.params.comment_id },
          editorOf(request),
          preconditionOf(request),
        );
        return { message: 'The comment is deleted.' };
      },
    });
  }
};
