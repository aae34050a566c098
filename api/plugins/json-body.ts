import type { FastifyInstance } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { CalibronError, type Problem } from '../../shared/kernel/errors.ts';

/** Deeper bodies are refused before a schema walks into them. */
const MAX_DEPTH = 64;

/**
 * JSON is the one body type (routes add their own). An empty body counts as none; NaN and infinity,
 * which JSON can only hide in numbers such as 1e999, never enter, nor do keys with a NUL, which the
 * store cannot hold.
 */
export const jsonBody = fastifyPlugin(
  async (app: FastifyInstance) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => {
      try {
        done(null, parse(String(text)));
      } catch (thrown) {
        done(thrown instanceof Error ? thrown : new Error(String(thrown)));
      }
    });
  },
  { name: 'json-body' },
);

function parse(text: string): unknown {
  if (text.trim() === '') return undefined;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (thrown) {
    throw refuse({ type: 'json_invalid', loc: ['body', positionIn(thrown)], msg: 'JSON decode error' });
  }
  const problem = problemIn(body, ['body']);
  if (problem) throw refuse(problem);
  return body;
}

function refuse(problem: Problem): CalibronError {
  return new CalibronError('invalid_input', 'The request is not valid.', { problems: [problem] });
}

/** Where V8 stopped reading, as far as it says; its message may quote the body and is not passed on. */
function positionIn(thrown: unknown): number {
  const position = thrown instanceof Error ? /at position (\d+)/.exec(thrown.message)?.[1] : undefined;
  return Number(position ?? 0);
}

function problemIn(value: unknown, loc: Problem['loc']): Problem | null {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    return { type: 'finite_number', loc, msg: 'Input should be a finite number' };
  }
  if (typeof value !== 'object' || value === null) return null;
  if (loc.length > MAX_DEPTH) {
    return { type: 'json_invalid', loc: ['body'], msg: `Input should have at most ${MAX_DEPTH} levels` };
  }
  for (const [key, child] of Object.entries(value)) {
    if (key.includes('\0')) return { type: 'value_error', loc, msg: 'Input should have no NUL in its keys' };
    if (typeof child !== 'object' && typeof child !== 'number') continue;
    const problem = problemIn(child, [...loc, Array.isArray(value) ? Number(key) : key]);
    if (problem) return problem;
  }
  return null;
}
