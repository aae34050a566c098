import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import { noteText } from '../../../shared/domain/notes/model.ts';
import { taskIdSchema } from '../../../shared/kernel/ids.ts';
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
const params = z.object({ task_id: taskIdSchema });

/** Notes on task results. */
export const taskNoteRoutes: FastifyPluginAsyncZod<Pick<Areas, 'notes'>> = async (app, { notes }) => {
  app.route({
    method: 'GET',
    url: '/task-results/:task_id/note',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'get_task_note',
      summary: 'The note of a task result',
      params,
      response: { 200: noteBody, ...projectAnswers, ...taggedAnswers },
    },
    handler: async (request, reply) =>
      tagged(reply, await notes.ofTask.read(projectIdOf(request), request.params.task_id)),
  });

  app.route({
    method: 'PUT',
    url: '/task-results/:task_id/note',
    onRequest: app.inProject('write'),
    config: { audit: 'note_written' },
    schema: {
      ...common,
      operationId: 'put_task_note',
      summary: 'Write the note of a task result',
      params,
      headers: savingHeaders,
      body: noteText,
      response: { 200: noteBody, ...projectAnswers, ...bodyAnswers, ...savingAnswers },
    },
    handler: async (request, reply) => {
      const task = { projectId: projectIdOf(request), taskId: request.params.task_id };
      const { content } = request.body;
      const put = notes.ofTask.put(task, content, actorOf(request), preconditionOf(request));
      return tagged(reply, await put);
    },
  });

  app.route({
    method: 'DELETE',
    url: '/task-results/:task_id/note',
    onRequest: app.inProject('write'),
    config: { audit: 'note_deleted' },
    schema: {
      ...common,
      operationId: 'delete_task_note',
      summary: 'Clear the note of a task result',
      headers: savingHeaders,
      params,
      response: { 200: messageBody, ...projectAnswers, ...savingAnswers },
    },
    handler: async (request) => {
      await notes.ofTask.remove(
        projectIdOf(request),
        request.params.task_id,
        actorOf(request),
        preconditionOf(request),
      );
      return { message: 'The note is deleted.' };
    },
  });
};
