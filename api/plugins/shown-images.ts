import type { FastifyInstance } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import type { Images } from '../../shared/domain/images/index.ts';
import { projectIdIfAny } from './project-scope.ts';

const writing = new Set(['POST', 'PUT', 'PATCH']);

/** Records which images the texts of a request show, before the request stores anything. */
export const shownImages = fastifyPlugin(
  async (app: FastifyInstance, { images }: { images: Pick<Images, 'noteShown'> }) => {
    app.addHook('preHandler', async (request) => {
      const { method, body } = request;
      if (request.caller === null || !writing.has(method)) return;
      if (typeof body !== 'object' || body === null) return;
      await images.noteShown(textIn(body), projectIdIfAny(request));
    });
  },
  { name: 'shown-images', dependencies: ['project-scope'] },
);

/** The texts of a body that may contain an image address, joined by newlines. */
function textIn(body: object): string {
  const texts: string[] = [];
  const open: unknown[] = [body];
  while (open.length > 0) {
    const value = open.pop();
    if (typeof value === 'string' && value.includes('/images/')) texts.push(value);
    else if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) {
      for (const each of Object.values(value)) open.push(each);
    }
  }
  return texts.join('\n');
}
