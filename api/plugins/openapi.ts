import { gzipSync } from 'node:zlib';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { stringify } from 'yaml';
import { SERVICE_VERSION } from '../../shared/kernel/service-version.ts';
import { describedDocument, describedRoute } from '../document/described-document.ts';

/** Path prefix of the earlier interface. */
export const EARLIER_PREFIX = '/api';

const tags = [
  { name: 'accounts', description: 'Login and your own account.' },
  { name: 'administration', description: 'All accounts and projects, for system administrators.' },
  { name: 'projects', description: 'Projects and their members.' },
  { name: 'chips', description: 'Chips, qubits and couplings.' },
  {
    name: 'maintenance',
    description: 'Which values of a chip depend on which, and which of them still hold.',
  },
  { name: 'metrics', description: 'The numbers by which a chip is judged.' },
  { name: 'topology', description: 'Positions and couplings of the qubits of a chip.' },
  { name: 'cryostats', description: 'What keeps chips cold.' },
  { name: 'cooldowns', description: 'When which chips were cold, and how they were wired.' },
  {
    name: 'notes',
    description: 'What people write about chips, qubits, couplings, metrics and task results.',
  },
  { name: 'forum', description: 'Threads in which the members of a project talk about its chips.' },
  { name: 'notifications', description: 'Your inbox: who mentioned you, and who replied to you.' },
  { name: 'tasks', description: 'The catalog of measurements, and the backends that make them.' },
  { name: 'flows', description: 'Calibration code that a lab edits, and its templates.' },
  { name: 'schedules', description: 'When flows run automatically, and the outcome of the last time.' },
  { name: 'executions', description: 'Runs of flows: start, watch, control, and their files.' },
  {
    name: 'agent-sessions',
    description: 'What agents of users propose, measure and commit within a policy.',
  },
  { name: 'approvals', description: 'Questions that flows ask people.' },
  { name: 'task-results', description: 'Results of single measurements.' },
  {
    name: 'issues',
    description: 'What people say about task results, and the knowledge that comes from it.',
  },
  { name: 'ai-reviews', description: 'What the assistant or fixed rules say about results.' },
  { name: 'copilot', description: 'The assistant, and your conversations with it.' },
  { name: 'provenance', description: 'Where every calibration value came from.' },
  { name: 'files', description: 'Raw data by path, and the configuration that a lab edits.' },
  { name: 'service', description: 'State and settings of the service itself.' },
];

/** Content security policy of the page: only its own scripts. Its library uses inline styles and icons from data URLs. */
const PAGE_POLICY = {
  'default-src': "'self'",
  'script-src': "'self'",
  'style-src': ["'self'", "'unsafe-inline'"],
  'img-src': ["'self'", 'data:'],
  'object-src': "'none'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
};

export interface OpenapiOptions {
  /** Where clients reach the service, without a trailing slash; undefined if not set. */
  publicUrl: string | undefined;
}

/** GET /openapi.json and /docs, generated from the route schemas. */
export const openapi = fastifyPlugin(
  async (app: FastifyInstance, { publicUrl }: OpenapiOptions) => {
    const besideThePage = (document: object) => ({ ...document, servers: serversOf(publicUrl, '../') });
    await app.register(swagger, {
      // The library would treat the relative server address below as an absolute one.
      stripBasePath: false,
      openapi: {
        openapi: '3.1.0',
        info: {
          title: 'Calibron',
          version: SERVICE_VERSION,
          summary: 'Keeps superconducting quantum chips calibrated.',
          license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
        },
        servers: serversOf(publicUrl, './'),
        tags,
        components: {
          securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
        },
      },
      transform: (given) => {
        // The earlier interface has a document of its own.
        if (given.url.startsWith(`${EARLIER_PREFIX}/`)) return { url: given.url, schema: { hide: true } };
        return describedRoute(given);
      },
      transformObject: describedDocument,
    });
    await app.register(swaggerUi, {
      routePrefix: '/docs',
      staticCSP: PAGE_POLICY,
      transformSpecification: besideThePage,
      transformSpecificationClone: false,
    });
    // Cached: the library would serialize them for each request, which blocks the event loop for up to a quarter of a second.
    const ofThePage: Readonly<Record<string, SentDocument>> = {
      '/docs/json': sentDocument(JSON_TYPE, () => JSON.stringify(besideThePage(app.swagger()))),
      '/docs/yaml': sentDocument('application/yaml', () =>
        stringify(besideThePage(app.swagger()), { aliasDuplicateObjects: false }),
      ),
    };
    app.addHook('onRequest', async (request, reply) =>
      ofThePage[request.routeOptions.url ?? '']?.(request, reply),
    );
    // A redirect to /docs/ would loop behind a proxy that removes the slash.
    app.addHook('onSend', async (request, _reply, page: unknown) => {
      if (typeof page !== 'string' || !/^\/docs\/?$/.test(request.routeOptions.url ?? '')) return page;
      const relative = request.url.split('?', 1)[0]?.endsWith('/') ? './' : './docs/';
      const folder =
        publicUrl === undefined ? relative : `${new URL(publicUrl).pathname.replace(/\/$/, '')}/docs/`;
      return page.replaceAll(/"(?:\/docs|\.)\/static\//g, `"${folder}static/`);
    });
    const document = sentDocument(JSON_TYPE, () => JSON.stringify(app.swagger()));
    app.get('/openapi.json', { schema: { hide: true } }, async (request, reply) => document(request, reply));
  },
  { name: 'openapi' },
);

const JSON_TYPE = 'application/json; charset=utf-8';

type SentDocument = (request: FastifyRequest, reply: FastifyReply) => FastifyReply;

/** Sends a document that never changes. It is written once, and compressed once for clients that accept gzip. */
function sentDocument(mediaType: string, write: () => string): SentDocument {
  let text: string | undefined;
  let zipped: Buffer | undefined;
  return (request, reply) => {
    text ??= write();
    void reply.type(mediaType).header('vary', 'accept-encoding');
    if (!/\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(String(request.headers['accept-encoding'] ?? '')))
      return reply.send(text);
    // For each request it would take 20 ms of a thread that file reads need too.
    zipped ??= gzipSync(text);
    return reply.header('content-encoding', 'gzip').send(zipped);
  };
}

/**
 * The address of the service in a document: the one that clients use, if it is set.
 * @param relative from the document to the service, which is correct behind any path prefix of a proxy
 */
export function serversOf(publicUrl: string | undefined, relative: string): { url: string }[] {
  return [{ url: publicUrl === undefined ? relative : `${publicUrl}/` }];
}
