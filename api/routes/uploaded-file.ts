import type { FastifyRequest } from 'fastify';
import { CalibronError } from '../../shared/kernel/errors.ts';

/**
 * Reads the file in the field `field` of a form, for routes with @fastify/multipart.
 * @throws invalid_input if it is missing, too_large, bad_request for an incomplete form
 */
export async function uploadedFile(request: FastifyRequest, field: string): Promise<Buffer> {
  const found = await readFile(request);
  if (found?.fieldname === field) return found.content;
  throw new CalibronError('invalid_input', 'The form has no file.', {
    problems: [{ type: 'missing', loc: ['body', field], msg: 'Field required' }],
  });
}

async function readFile(request: FastifyRequest): Promise<{ fieldname: string; content: Buffer } | null> {
  try {
    const file = await request.file();
    return file ? { fieldname: file.fieldname, content: await file.toBuffer() } : null;
  } catch (thrown) {
    // The plugin's own errors have a status. Errors of the underlying parser have none.
    if (thrown instanceof Error && 'statusCode' in thrown) throw thrown;
    throw new CalibronError('bad_request', 'The form cannot be read.', { cause: thrown });
  }
}
