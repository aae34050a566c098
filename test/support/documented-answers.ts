import type { OutgoingHttpHeaders } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { buildServer } from '../../api/server.ts';

/** What an API answered to a request. */
interface GivenAnswer {
  method: string;
  url: string;
  status: number;
  contentType: string;
  text: string;
}

const response = z.object({
  content: z.record(z.string(), z.object({ schema: z.looseObject({}) })).optional(),
});
const document = z.looseObject({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.looseObject({
        responses: z.record(z.string(), response),
        'x-partial-answer': z.object({ parameter: z.string(), schema: z.looseObject({}) }).optional(),
      }),
    ),
  ),
});

type Checker = (answer: GivenAnswer) => string | null;

/**
 * Answers that belong to no operation: of addresses and methods that there are not, of what shows the document, of the
 * console, and of images under the address that texts hold, which are described without its prefix.
 */
const OUTSIDE = /^\/(|console|docs|openapi\.json|api\/openapi\.json|api\/(?:forum|issues)\/images)(\/|\?|$)/;

/** Where the earlier interface begins, which has a document of its own. */
const EARLIER = '/api/';

const checkers = new Map<'current' | 'earlier', Checker>();

/** The server of the service, all of whose answers are checked: to requests that are injected and to those of sockets. */
export async function buildCheckedServer(
  options: Parameters<typeof buildServer>[0],
): ReturnType<typeof buildServer> {
  const server = await buildServer(options);
  server.inject = new Proxy(server.inject, {
    async apply(inject, self, given) {
      const answer: Awaited<ReturnType<typeof server.inject>> = await Reflect.apply(inject, self, given);
      const { method = 'GET', url = '' } = answer.raw.req;
      // The console may be refused what its routes do not refuse.
      if (String(given[0]?.url).startsWith('/console/')) return answer;
      const { statusCode: status, headers, rawPayload: bytes } = answer;
      check(server, { method, url, status, headers, bytes });
      return answer;
    },
  });
  server.server.prependListener('request', (request, response) => {
    const chunks: Buffer[] = [];
    const keep = (chunk: unknown) => {
      if (typeof chunk === 'string' || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
    };
    response.write = new Proxy(response.write, {
      apply(write, self, given) {
        keep(given[0]);
        return Reflect.apply(write, self, given);
      },
    });
    response.end = new Proxy(response.end, {
      apply(end, self, given) {
        keep(given[0]);
        return Reflect.apply(end, self, given);
      },
    });
    let headers: OutgoingHttpHeaders = {};
    response.writeHead = new Proxy(response.writeHead, {
      apply(writeHead, self, given) {
        headers = { ...response.getHeaders(), ...given.find((each: unknown) => typeof each === 'object') };
        return Reflect.apply(writeHead, self, given);
      },
    });
    const { method = 'GET', url = '' } = request;
    // A request without a host is answered before it belongs to a route.
    if (request.headers.host === undefined) return;
    // No caller awaits this check; an error fails the test run.
    response.once('finish', () => {
      const answer = { method, url, status: response.statusCode, headers, bytes: Buffer.concat(chunks) };
      setImmediate(() => check(server, answer));
    });
  });
  return server;
}

const decoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};

/** @throws naming what differs from the document */
function check(
  server: FastifyInstance,
  {
    headers,
    bytes,
    ...asked
  }: { method: string; url: string; status: number; headers: OutgoingHttpHeaders; bytes: Buffer },
): void {
  const decoded = decoders[String(headers['content-encoding'])]?.(bytes) ?? bytes;
  const breach = breachOfDocument(server, {
    ...asked,
    contentType: String(headers['content-type']),
    text: decoded.toString(),
  });
  if (breach !== null) throw new Error(`openapi.json says otherwise: ${breach}`);
}

/**
 * Says where an answer is not what openapi.json of its interface promises: its status, its content type, its body.
 * @returns null for an answer that keeps the promise
 */
export function breachOfDocument(server: FastifyInstance, answer: GivenAnswer): string | null {
  // All servers have the same routes; reading the document again for each takes longer than most tests.
  const which = answer.url.startsWith(EARLIER) ? 'earlier' : 'current';
  const described = () => (which === 'earlier' ? server.earlierDocument() : server.swagger());
  const checker = checkers.get(which) ?? checkerOf(plain(described()));
  checkers.set(which, checker);
  return checker(answer);
}

/** Schemas of objects that may have more fields than the document describes. */
const OPEN = /^(?:Sparse)?ParameterRecord$/;

/** Whether an object without a name is open: scores of tasks, and results and their values in the earlier interface. */
const hasOpenFields = (name: string, properties: object) =>
  Object.keys(properties).length === 0 ||
  'good' in properties ||
  (name === 'additionalProperties' && 'over_threshold' in properties);

/**
 * The document, with every object closed that is not known to be open: the service sends no field that is not described,
 * and clients must nevertheless be prepared for those of later versions.
 */
const plain = (described: object) =>
  document.parse(
    JSON.parse(JSON.stringify(described), (name, value) => {
      const isClosed = value?.type === 'object' && value.properties && !('additionalProperties' in value);
      if (!isClosed || OPEN.test(name) || hasOpenFields(name, value.properties)) return value;
      return { ...value, additionalProperties: false };
    }),
  );

function checkerOf(given: z.infer<typeof document>): Checker {
  const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(given, 'openapi.json');
  // To compile one takes milliseconds, and a thousand answers have a few hundred schemas between them.
  const validators = new Map<string, ReturnType<typeof ajv.getSchema>>();
  // A literal part goes before a parameter, as in the router.
  const templates = Object.keys(given.paths)
    .sort((a, b) => (a.replaceAll('{', '\uffff') < b.replaceAll('{', '\uffff') ? -1 : 1))
    .map((template) => ({
      template,
      pattern: new RegExp(`^${template.replaceAll('.', '\\.').replace(/\{[^}]+\}/g, '[^/]+')}/?$`),
    }));

  return ({ method, url, status, contentType, text }) => {
    const path = url.split('?', 1)[0] ?? '';
    const found = templates.find(({ pattern }) => pattern.test(path));
    const name = method.toLowerCase();
    const operation = found && given.paths[found.template]?.[name === 'head' ? 'get' : name];
    if (!found || !operation) {
      const outside = status === 404 || status === 405 || name === 'options' || OUTSIDE.test(path);
      return outside ? null : `${method} ${path} answered ${status}, and openapi.json does not know it`;
    }
    if (name === 'head' && status === 405) return null;
    const described = operation.responses[String(status)];
    if (!described) return `${method} ${found.template}: openapi.json does not name status ${status}`;
    if (name === 'head' || status === 304) return null;
    const types = Object.keys(described.content ?? {});
    if (types.length === 0) return text === '' ? null : `${method} ${found.template} ${status} has a body`;
    const type = types.find((each) => contentType.startsWith(each));
    if (!type) return `${method} ${found.template} ${status}: ${contentType} is none of ${types.join(', ')}`;
    // A part of a file is not the file.
    if (type !== 'application/json' || status === 206) return null;
    const part = operation['x-partial-answer'];
    const isPart = part !== undefined && status === 200 && queryOf(url).has(part.parameter);
    const key = JSON.stringify(isPart ? part.schema : described.content?.[type]?.schema);
    if (!validators.has(key)) {
      const place = isPart ? ['x-partial-answer'] : ['responses', String(status), 'content', type];
      const pointer = ['paths', found.template, name, ...place, 'schema'];
      validators.set(key, ajv.getSchema(`openapi.json#/${pointer.map(escaped).join('/')}`));
    }
    const validate = validators.get(key);
    if (!validate) return `${method} ${found.template} ${status} has no schema`;
    if (validate(JSON.parse(text))) return null;
    return `${method} ${found.template} ${status}: ${ajv.errorsText(validate.errors)} in ${text.slice(0, 1000)}`;
  };
}

const queryOf = (url: string) => new URLSearchParams(url.split('?')[1]);

/** A part of a JSON pointer in a URI. */
const escaped = (part: string) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
