import type { FastifyRequest } from 'fastify';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import {
  type ChipPlace,
  noteEventList,
  noteEventPage,
  noteEventScope,
  notesSummary,
  noteText,
  scopeQuery,
} from '../../../shared/domain/notes/model.ts';
import { messageBody, noteBody } from '../../../shared/kernel/wire.ts';
import { actorOf } from '../../plugins/authentication.ts';
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
const chipParams = z.object({ chip_id: z.string() });

/** The chip given in the path. */
function chipOf(request: Pick<FastifyRequest, 'projectScope'> & { params: { chip_id: string } }): ChipPlace {
  return { projectId: projectIdOf(request), chipId: request.params.chip_id };
}

/** Notes on whole chips, all notes about a chip, and the history of notes. */
export const chipNoteRoutes: FastifyPluginAsyncZod<Pick<Areas, 'notes' | 'chips'>> = async (app, options) => {
  const { notes } = options;
  await app.register(noteEventRoutes, options);

  app.route({
    method: 'GET',
    url: '/chips/:chip_id/note',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'get_chip_note',
      summary: 'The note of a chip; an empty one where there is none',
      params: chipParams,
      querystring: scopeQuery,
      response: { 200: noteBody, ...projectAnswers, ...taggedAnswers },
    },
    handler: async (request, reply) => tagged(reply, await notes.ofChip.read(chipOf(request), request.query)),
  });

  app.route({
    method: 'PUT',
    url: '/chips/:chip_id/note',
    onRequest: app.inProject('write'),
    config: { audit: 'note_written' },
    schema: {
      ...common,
      operationId: 'put_chip_note',
      summary: 'Write the note of a chip',
      params: chipParams,
      querystring: scopeQuery,
      headers: savingHeaders,
      body: noteText,
      response: { 200: noteBody, ...projectAnswers, ...bodyAnswers, ...savingAnswers },
    },
    handler: async (request, reply) => {
      const written = { content: request.body.content, actor: actorOf(request) };
      const put = notes.ofChip.put(chipOf(request), request.query, written, preconditionOf(request));
      return tagged(reply, await put);
    },
  });

  app.route({
    method: 'DELETE',
    url: '/chips/:chip_id/note',
    onRequest: app.inProject('write'),
    config: { audit: 'note_deleted' },
    schema: {
      ...common,
      operationId: 'delete_chip_note',
      summary: 'Remove the note of a chip',
      headers: savingHeaders,
      params: chipParams,
      querystring: scopeQuery,
      response: { 200: messageBody, ...projectAnswers, ...savingAnswers },
    },
    handler: async (request) => {
      await notes.ofChip.remove(chipOf(request), request.query, actorOf(request), preconditionOf(request));
      return { message: 'The note is deleted.' };
    },
  });

  app.route({
    method: 'GET',
    url: '/chips/:chip_id/notes-summary',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'get_notes_summary',
      summary: 'Everything that is written about the qubits, couplings and tasks of a chip',
      params: chipParams,
      querystring: scopeQuery,
      response: { 200: notesSummary, ...projectAnswers },
    },
    handler: (request) => notes.summary(chipOf(request), request.query),
  });
};

const noteEventRoutes: FastifyPluginAsyncZod<Pick<Areas, 'notes' | 'chips'>> = async (
  app,
  { notes, chips },
) => {
  app.route({
    method: 'GET',
    url: '/chips/:chip_id/note-events',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'list_chip_note_events',
      summary: 'What happened to the notes of a chip, newest first',
      params: chipParams,
      querystring: noteEventPage,
      response: { 200: noteEventList, ...projectAnswers },
    },
    handler: async (request) => {
      const { chip_id } = request.params;
      await chips.currentCooldowns.mustExist(projectIdOf(request), chip_id);
      return notes.events.ofChip(projectIdOf(request), chip_id, request.query);
    },
  });

  app.route({
    method: 'GET',
    url: '/note-events/by-target',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'list_target_note_events',
      summary: 'What happened to the notes of one target, newest first',
      querystring: noteEventPage.extend({
        scope: noteEventScope,
        target_id: z.string(),
        chip_id: z
          .string()
          .optional()
          .describe('Only of this chip; without it, of all chips that have such a target.'),
      }),
      response: { 200: noteEventList, ...projectAnswers },
    },
    handler: (request) => {
      const { skip, limit, ...target } = request.query;
      return notes.events.ofTarget(projectIdOf(request), target, { skip, limit });
    },
  });

  app.route({
    method: 'GET',
    url: '/note-events/search',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'search_note_events',
      summary: 'Notes that have any of these words, or words that begin with them; best match first',
      querystring: noteEventPage.extend({ q: z.string().min(1).max(500) }),
      response: { 200: noteEventList, ...projectAnswers },
    },
    handler: (request) => {
      const { q, ...page } = request.query;
      return notes.events.search(projectIdOf(request), q, page);
    },
  });
};
