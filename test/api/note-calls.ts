import { noteEventList } from '../../shared/domain/notes/model.ts';
import { type Api, type Call, read } from './harness.ts';

type Query = Record<string, string>;

/** What tests ask of notes. @param as gives who asks, in the project of the test at hand */
export function noteCalls(as: () => ReturnType<Api['as']>) {
  const ask = (method: NonNullable<Call['method']>, url: string, body?: unknown, query: Query = {}) =>
    as()(url, { method, query, ...(body !== undefined && { body }) });
  return {
    ask,
    put: (url: string, content: string, query?: Query) => ask('PUT', url, { content }, query),
    eventsOf: async (url: string, query: Query = {}) =>
      read(noteEventList, await ask('GET', url, undefined, query)),
  };
}
