import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { CalibronError, type Problem } from '../../shared/kernel/errors.ts';
import { type JsonProblem, jsonProblem } from '../../shared/kernel/json-bounds.ts';

/** Bodies beyond these limits are rejected before schema validation. */
const BOUNDS = { levels: 64, values: 200_000, keyCharacters: 1000 };

const PROBLEM_TYPES: Record<Exclude<JsonProblem['kind'], 'text'>, string> = {
  levels: 'json_invalid',
  values: 'json_invalid',
  number: 'finite_number',
  key: 'value_error',
};

/**
 * Accepts JSON bodies only; routes may add other types. An empty body counts as no body, even with the content type of a
 * form, which many clients send. Rejects infinite numbers, which JSON can express only as numbers such as 1e999. Also
 * rejects control characters in keys and lone surrogates, which store and engine cannot hold.
 */
export const jsonBody = fastifyPlugin(
  async (app: FastifyInstance) => {
    app.removeAllContentTypeParsers();
    app.addHook('onRequest', async ({ raw, routeOptions }) => {
      const consumes = routeOptions.schema?.consumes;
      if (consumes === undefined && hasNoBody(raw.headers) && isForm(raw.headers)) {
        delete raw.headers['content-type'];
      }
    });
    app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, bytes, done) => {
      try {
        done(null, parse(decoded(bytes)));
      } catch (thrown) {
        done(thrown instanceof Error ? thrown : new Error(String(thrown)));
      }
    });
  },
  { name: 'json-body' },
);

function hasNoBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
}

function isForm({ 'content-type': type }: IncomingHttpHeaders): boolean {
  return /^\s*(?:application\/x-www-form-urlencoded|multipart\/form-data)/i.test(type ?? '');
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decoded(bytes: string | Buffer): string {
  if (typeof bytes === 'string') return bytes;
  try {
    return utf8.decode(bytes);
  } catch {
    throw new CalibronError('bad_request', 'The body is not UTF-8. Send JSON in UTF-8.');
  }
}

function parse(text: string): unknown {
  if (text.trim() === '') return undefined;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (thrown) {
    throw refuse({ type: 'json_invalid', loc: ['body', positionIn(thrown)], msg: 'JSON decode error' });
  }
  const problem = jsonProblem(body, BOUNDS);
  if (problem) {
    const { kind, path, message } = problem;
    if (kind === 'text') {
      const where = path.length > 0 ? ` at ${path.join('.')}` : '';
      throw new CalibronError('bad_request', `The body${where} ${message}. Send whole characters.`);
    }
    throw refuse({ type: PROBLEM_TYPES[kind], loc: ['body', ...path], msg: `Input ${message}` });
  }
  return body;
}

function refuse(problem: Problem): CalibronError {
  return new CalibronError('invalid_input', 'The request is not valid.', { problems: [problem] });
}

/** The position at which V8 stopped parsing, if known. Its message is not passed on, because it may quote the body. */
function positionIn(thrown: unknown): number {
  const position = thrown instanceof Error ? /at position (\d+)/.exec(thrown.message)?.[1] : undefined;
  return Number(position ?? 0);
}
