import { isAbsolute } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fresh from 'fresh';
import type { Areas } from '../../shared/domain/areas.ts';
import type { Asker } from '../../shared/domain/parsing/index.ts';
import { isError } from '../../shared/kernel/errors.ts';
import { zipOf } from '../../shared/kernel/files/archive.ts';
import { contentOf } from '../../shared/kernel/files/archive-content.ts';
import { askerOf } from '../plugins/addresses.ts';
import { sendArchive, sendFile } from './file-answers.ts';

type NamedFileRequest = FastifyRequest<{ Querystring: { path: string } }>;
type Access = Pick<
  FastifyInstance,
  'checkDataAccess' | 'checkFolderAccess' | 'checkConfigurationAccess' | 'shownConfiguration'
>;
type Source = { app: Access } & Pick<Areas, 'artifacts'>;

/** Opens the figure (PNG) given in the query. @throws not_found */
async function openFigure({ app, artifacts }: Source, request: NamedFileRequest) {
  const { path } = request.query;
  const project = await app.checkDataAccess(request, path);
  const asker = askerOf(request);
  const figure = await artifacts.open(path, { kinds: ['.png'], project, asker });
  return { path, project, figure };
}

/** Sends the figure (PNG) given in the query. @throws not_found */
export async function sendFigure(
  source: Source,
  request: NamedFileRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { figure } = await openFigure(source, request);
  return sendFile(request, reply, figure);
}

/** Error codes for which the original figure is sent instead of its dark version. */
const notDrawn = ['not_found', 'too_large', 'unreadable_file', 'too_many_requests'] as const;

/**
 * Sends the figure (PNG) given in the query, redrawn for dark pages. Sends the original if it has no description of
 * ours, or if too many figures are being drawn, so that a page with many figures shows all of them. @throws not_found
 */
export async function sendDarkFigure(
  source: Source,
  request: NamedFileRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { path, project, figure } = await openFigure(source, request);
  // A figure and its description are written together, so the figure's entity tag covers both.
  const etag = figure.etag.replace(/"$/, '-dark"');
  const headers = { etag, 'cache-control': 'private, no-cache', 'x-content-type-options': 'nosniff' };
  if (fresh(request.headers, { etag })) {
    await figure.handle.close();
    return reply.headers(headers).code(304).send();
  }
  const drawn = await source.artifacts
    .darkFigure({ path, project }, askerOf(request))
    .catch((thrown: unknown) => {
      if (isError(thrown, ...notDrawn)) return null;
      void figure.handle.close();
      throw thrown;
    });
  if (drawn === null) return sendFile(request, reply, figure);
  await figure.handle.close();
  return reply.headers(headers).type('image/png').send(Buffer.from(drawn));
}

/** Sends the file of the calibration data given in the query. @throws not_found */
export async function sendDataFile(
  { app, artifacts }: Source,
  request: NamedFileRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { path } = request.query;
  const project = await app.checkDataAccess(request, path);
  return sendFile(request, reply, await artifacts.open(path, { project, asker: askerOf(request) }));
}

/**
 * Sends the file or directory given in the query as a ZIP archive. It must be in a project of the calibration data or in
 * the configuration. @throws bad_request, not_found, too_large
 */
export async function sendZip(
  { app, artifacts, configuration }: Source & Pick<Areas, 'configuration'>,
  request: NamedFileRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { path } = request.query;
  const isData = isAbsolute(path) && (await artifacts.isInside(path));
  if (isData) await app.checkDataAccess(request, path);
  if (isData && (await artifacts.isLargeFolder(path))) await app.checkFolderAccess(request, path);
  const { name, entries } = isData
    ? await dataContent(artifacts, path, askerOf(request))
    : await configurationContent({ app, configuration }, path, request);
  const stamp = new Date()
    .toISOString()
    .replaceAll(/[-:]|\.\d+Z/g, '')
    .replace('T', '_');
  return sendArchive(reply, zipOf(entries), `${name}_${stamp}.zip`);
}

async function dataContent(artifacts: Areas['artifacts'], path: string, asker: Asker) {
  const source = await artifacts.projectOf(path);
  return { name: source.name, entries: await artifacts.contentOf(source.path, asker) };
}

/** What the caller may see of a file or directory of the configuration. @throws bad_request, not_authenticated, not_found */
async function configurationContent(
  { app, configuration }: { app: Access } & Pick<Areas, 'configuration'>,
  path: string,
  request: FastifyRequest,
) {
  const { path: located, name, inside } = await configuration.files.locate(path);
  await app.checkConfigurationAccess(request, inside);
  const entries = await contentOf(located);
  if (inside !== '') return { name, entries };
  const isShown = await app.shownConfiguration(request);
  return { name, entries: entries.filter((entry) => isShown(entry.name)) };
}
