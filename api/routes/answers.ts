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
