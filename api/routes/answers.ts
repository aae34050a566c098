import { z } from 'zod';
import { errorBody } from '../../shared/domain/errors.ts';
import { integer, invalidInputBody } from '../../shared/kernel/wire.ts';

/** OpenAPI security of routes that require a token. */
export const bearer = [{ bearer: [] }];

/** Error responses of every route. */
const always = { 429: errorBody, 500: errorBody, 503: errorBody };

/** Error responses of routes without a token. */
export const publicAnswers = { ...always, 422: invalidInputBody };

/** Error responses of routes that require a token. */
export const tokenAnswers = { ...publicAnswers, 401: errorBody, 403: errorBody };

/** Error responses of routes inside a project. */
export const projectAnswers = { ...tokenAnswers, 400: errorBody, 404: errorBody };

/** Additional error responses of routes with a body. */
export const bodyAnswers = { 400: errorBody, 413: errorBody, 415: errorBody };

/** The header that selects the project. */
export const projectHeaders = z.looseObject({
  'x-project-id': z
    .string()
    .optional()
    .describe("Project of the request; default: the user's default project."),
});

/** Headers of requests that save something that other users may be editing at the same time. */
export const savingHeaders = projectHeaders.extend({
  'if-match': z
    .string()
    .max(2000)
    .optional()
    .describe(
      'The ETag of what you read. If it has changed since, nothing is saved and the answer is 412; without this header the last save wins.',
    ),
});

/** Headers of requests that read something with an entity tag which costs less than the answer. */
export const readingHeaders = projectHeaders.extend({
  'if-none-match': z
    .string()
    .max(2000)
    .optional()
    .describe('The ETag of your copy. While it is current, the answer is 304 without a body.'),
});

/** Additional error responses of routes with {@link savingHeaders}. */
export const savingAnswers = { 412: errorBody };

/** Additional response of GET routes with an entity tag: the caller's copy is current. */
export const taggedAnswers = { 304: z.undefined().describe('Your copy is current (If-None-Match).') };

/** Headers of requests that start a run. */
export const startHeaders = projectHeaders.extend({
  'idempotency-key': z
    .string()
    .max(255)
    .optional()
    .describe('The same key with the same body starts one run and gives one answer.'),
});

/** Paging parameters of lists for administrators. */
export const administrationPage = z.object({
  skip: integer({ min: 0 }).prefault(0),
  limit: integer({ min: 1, max: 1000 }).prefault(100),
});
