import { isAbsolute } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Areas } from '../../shared/domain/areas.ts';
import { zipOf } from '../../shared/kernel/files/archive.ts';
import { contentOf } from '../../shared/kernel/files/archive-content.ts';
import { askerOf } from '../plugins/addresses.ts';
import { sendArchive, sendFile } from './file-answers.ts';

type NamedFileRequest = FastifyRequest<{ Querystring: { path: string } }>;
type Source = { app: Pick<FastifyInstance, 'checkDataAccess'> } & Pick<Areas, 'artifacts'>;

/** Sends the figure (PNG) that a request names. @throws not_found */
export async function sendFigure(
  { app, artifacts }: Source,
  request: NamedFileRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { path } = request.query;
  const project = await app.checkDataAccess(request, path);
  return sendFile(request, reply, await artifacts.open(path, { kinds: ['.png'], project }));
}

/** Sends the figure (PNG) that a request names, drawn anew for dark pages. @throws not_found, too_many_requests */
export async function sendDarkFigure(
  { app, artifacts }: Source,
  request: NamedFileRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { path } = request.query;
  const project = await app.checkDataAccess(request, path);
  // What is no figure has none for dark pages either.
  await (await artifacts.open(path, { kinds: ['.png'], project })).handle.close();
  const png = await artifacts.darkFigure({ path, project }, askerOf(request));
  return reply
    .headers({ 'cache-control': 'private, no-cache', 'x-content-type-options': 'nosniff' })
    .type('image/png')
    .send(Buffer.from(png));
}

/** Sends the file of the calibration data that a request names. @throws not_found */
export async function sendDataFile(
  { app, artifacts }: Source,
  request: NamedFileRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { path } = request.query;
  const project = await app.checkDataAccess(request, path);
  return sendFile(request, reply, await artifacts.open(path, { project }));
}

/**
 * Sends what a request names as a ZIP archive: a file or a directory below a project in the calibration data, or in the
 * configuration. @throws bad_request, not_found, too_large
 */
export async function sendZip(
  { app, artifacts, configuration }: Source & Pick<Areas, 'configuration'>,
  request: NamedFileRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { path } = request.query;
  const isData = isAbsolute(path) && (await artifacts.isInside(path));
  if (isData) await app.checkDataAccess(request, path);
  const source = isData ? await artifacts.projectOf(path) : await configuration.files.locate(path);
  const entries = await contentOf(source.path);
  const stamp = new Date()
    .toISOString()
    .replaceAll(/[-:]|\.\d+Z/g, '')
    .replace('T', '_');
  return sendArchive(reply, zipOf(entries), `${source.name}_${stamp}.zip`);
}
