import { z } from 'zod';
import { errorBody, integer, invalidInputBody } from '../../shared/kernel/wire.ts';

/** OpenAPI security of routes that ask for a token. */
export const bearer = [{ bearer: [] }];

/** What every route may answer. */
const always = { 429: errorBody, 500: errorBody, 503: errorBody };

/** Answers of routes without a token, beside their success. */
export const publicAnswers = { ...always, 422: invalidInputBody };

/** Answers of routes that ask for a token. */
export const tokenAnswers = { ...publicAnswers, 401: errorBody, 403: errorBody };

/** Answers of routes inside a project. */
export const projectAnswers = { ...tokenAnswers, 400: errorBody, 404: errorBody };

/** What routes with a body may answer as well. */
export const bodyAnswers = { 400: errorBody, 413: errorBody, 415: errorBody };

/** The header that selects the project. */
export const projectHeaders = z.looseObject({
  'x-project-id': z
    .string()
    .optional()
    .describe("Project of the request; default: the user's default project."),
});

/** Headers of requests that save what others may be editing at the same time. */
export const savingHeaders = projectHeaders.extend({
  'if-match': z
    .string()
    .max(2000)
    .optional()
    .describe(
      'The ETag of what you read. If it has changed since, nothing is saved and the answer is 412; without this header the last save wins.',
    ),
});

/** What routes with these headers may answer as well. */
export const savingAnswers = { 412: errorBody };

/** What a GET of something with an entity tag may answer as well: the caller has it already. */
export const taggedAnswers = { 304: z.undefined().describe('You have the current one (If-None-Match).') };

/** Headers of requests that start a run. */
export const startHeaders = projectHeaders.extend({
  'idempotency-key': z
    .string()
    .max(255)
    .optional()
    .describe('The same key with the same body starts one run and gives one answer.'),
});

/** Which part of a list administrators ask for. */
export const administrationPage = z.object({
  skip: integer({ min: 0 }).prefault(0),
  limit: integer({ min: 1, max: 1000 }).prefault(100),
});
