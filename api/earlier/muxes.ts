import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../shared/domain/areas.ts';
import { type Mux, mux, muxEntry } from '../../shared/domain/chips/model.ts';
import { integer } from '../../shared/kernel/wire.ts';
import { leavingOutNulls } from '../plugins/left-out-nulls.ts';
import { projectIdOf } from '../plugins/project-scope.ts';
import { projectAnswers } from '../routes/answers.ts';
import { sendEntries } from '../routes/streamed-entries.ts';
import { type EarlierOptions, userProjectHeaders } from './answers.ts';

const chipParams = z.object({ chip_id: z.string() });

const earlierMux = mux.extend({
  detail: z.record(
    z.string(),
    z.record(z.string(), muxEntry.extend({ default_view: z.boolean(), over_threshold: z.boolean() })),
  ),
});

type Options = Pick<Areas, 'chips'> & EarlierOptions;

/** The multiplexers of a chip, with the results of their qubits. */
export const muxRoutes: FastifyPluginAsyncZod<Options> = async (app, options) => {
  const { chips, identity } = options;
  await app.register(listRoute, options);

  app.route({
    method: 'GET',
    url: '/chip/:chip_id/mux/:mux_id',
    onRequest: identity.inProject('read'),
    schema: {
      tags: ['chip'],
      security: identity.security,
      headers: userProjectHeaders,
      operationId: 'get_mux',
      summary: 'One multiplexer with the newest result of every task on each of its qubits',
      params: chipParams.extend({ mux_id: integer({ min: 0 }) }),
      response: { 200: earlierMux, ...projectAnswers },
    },
    handler: async (request) =>
      earlierMuxOf(
        await chips.muxes.read(projectIdOf(request), request.params.chip_id, request.params.mux_id),
      ),
  });
};

/** Registered separately, because only this list omits null fields. */
const listRoute: FastifyPluginAsyncZod<Options> = async (app, { chips, identity }) => {
  await app.register(leavingOutNulls);
  app.route({
    method: 'GET',
    url: '/chip/:chip_id/mux',
    onRequest: identity.inProject('read'),
    config: { isLargeRead: true },
    schema: {
      tags: ['chip'],
      security: identity.security,
      headers: userProjectHeaders,
      operationId: 'list_muxes',
      summary: 'All multiplexers with the newest result of every task on each qubit',
      params: chipParams,
      response: { 200: z.object({ muxes: z.record(z.string(), earlierMux) }), ...projectAnswers },
    },
    handler: async (request, reply) => {
      const muxes = await chips.muxes.list(projectIdOf(request), request.params.chip_id);
      return sendEntries(reply, { name: 'muxes', entry: earlierMux }, entriesOf(muxes));
    },
  });
};

async function* entriesOf(muxes: AsyncIterable<Mux[]>) {
  for await (const page of muxes) {
    yield page.map((each) => [String(each.mux_id), earlierMuxOf(each)] as const);
  }
}

function earlierMuxOf({ mux_id, detail }: Mux): z.infer<typeof earlierMux> {
  const shown = Object.entries(detail).map(([qid, tasks]) => {
    const entries = Object.entries(tasks).map(
      ([name, entry]) => [name, { ...entry, default_view: true, over_threshold: false }] as const,
    );
    return [qid, Object.fromEntries(entries)] as const;
  });
  return { mux_id, detail: Object.fromEntries(shown) };
}
