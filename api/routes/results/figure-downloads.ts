import { basename } from 'node:path';
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import { CalibronError } from '../../../shared/kernel/errors.ts';
import { zipOf } from '../../../shared/kernel/files/archive.ts';
import { taskIdSchema } from '../../../shared/kernel/ids.ts';
import { askerOf } from '../../plugins/addresses.ts';
import { projectIdOf } from '../../plugins/project-scope.ts';
import { bearer, bodyAnswers, projectAnswers, projectHeaders } from '../answers.ts';
import { fileBody, sendArchive } from '../file-answers.ts';

const listOf = <Item extends z.ZodString>(item: Item, most: number) =>
  z
    .array(item)
    .max(most)
    .nullish()
    .transform((given) => given ?? []);

const figureDownload = z.object({
  paths: listOf(z.string(), 1000).describe('Absolute paths of files of the project, as results name them.'),
  ai_review_task_ids: listOf(taskIdSchema, 1000).describe(
    'Results whose reviews come as `ai_review/<task>_<qid>_<task_id>.md`; those without one are left out.',
  ),
  ai_review_bundle_task_ids: listOf(taskIdSchema, 100).describe(
    'Results for which all that a review is made by comes as `ai_review_bundle/<task>_<qid>_<task_id>.zip`.',
  ),
  filename: z
    .string()
    .nullish()
    .transform((given) => given ?? 'figures.zip'),
});

/** Figures, data and reviews of a project's results in one archive. */
export const figureDownloadRoutes: FastifyPluginAsyncZod<Pick<Areas, 'artifacts' | 'aiReviews'>> = async (
  app,
  { artifacts, aiReviews },
) => {
  app.route({
    method: 'POST',
    url: '/task-results/figures/download',
    onRequest: app.inProject('read'),
    config: { audit: 'files_exported', isArchive: true },
    schema: {
      tags: ['task-results'],
      security: bearer,
      operationId: 'download_figures',
      summary: 'Several files and reviews of the project in one ZIP archive; repeated names get _2, _3, …',
      headers: projectHeaders,
      body: figureDownload,
      response: {
        200: { description: 'The archive.', content: { 'application/zip': { schema: fileBody } } },
        ...projectAnswers,
        ...bodyAnswers,
        400: errorBody,
      },
    },
    handler: async (request, reply) => {
      const { paths, filename, ai_review_task_ids: texts, ai_review_bundle_task_ids: bundles } = request.body;
      if (paths.length + texts.length + bundles.length === 0)
        throw new CalibronError('bad_request', 'Name at least one file or review.');
      const project = projectIdOf(request);
      const { entries, missing } = await artifacts.bundle(
        paths.map((path) => ({ path, project })),
        askerOf(request),
      );
      if (missing.length > 0) throw new CalibronError('bad_request', noFiles(paths, missing));
      const reviews = await aiReviews.archives.files(project, { texts, bundles });
      return sendArchive(reply, zipOf([...entries, ...reviews]), archiveName(filename));
    },
  });
};

function noFiles(paths: readonly string[], missing: readonly number[]): string {
  const names = missing.slice(0, 5).map((position) => basename(paths[position] ?? '').slice(0, 100));
  const more = missing.length - names.length;
  return `The project has no such files: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
}

/** The requested name, reduced to characters that every system accepts. */
function archiveName(wanted: string): string {
  const name = wanted.replaceAll(/[^A-Za-z0-9._-]/g, '').slice(0, 100);
  const stem = name.replace(/(\.zip)+$/i, '').replace(/^\.+/, '');
  return `${stem || 'figures'}.zip`;
}
