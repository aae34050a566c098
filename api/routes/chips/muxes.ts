import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import { type Mux, mux, muxEntryField, muxList } from '../../../shared/domain/chips/model.ts';
import { integer, nameList } from '../../../shared/kernel/wire.ts';
import { leavingOutNulls } from '../../plugins/left-out-nulls.ts';
import { projectIdOf } from '../../plugins/project-scope.ts';
import { bearer, projectAnswers, projectHeaders, readingHeaders, taggedAnswers } from '../answers.ts';
import { sendEntries } from '../streamed-entries.ts';
import { unchangedAnswer } from '../tagged-answers.ts';

const common = { tags: ['chips'], security: bearer, headers: projectHeaders };
const chipParams = z.object({ chip_id: z.string() });
const listQuery = z.object({
  fields: nameList(muxEntryField.options)
    .optional()
    .describe(
      'Fields of each result to show besides its name and status, separated by commas, such as `task_id,end_at`; default: all.',
    ),
});

/** The multiplexers of a chip, with the results of their qubits. */
export const muxRoutes: FastifyPluginAsyncZod<Pick<Areas, 'chips'>> = async (app, { chips }) => {
  await app.register(listRoute, { chips });

  app.route({
    method: 'GET',
    url: '/chips/:chip_id/muxes/:mux_id',
    onRequest: app.inProject('read'),
    schema: {
      ...common,
      operationId: 'get_mux',
      summary: 'One multiplexer with the newest result of every task on each of its qubits',
      params: chipParams.extend({ mux_id: integer({ min: 0 }) }),
      response: { 200: mux, ...projectAnswers },
    },
    handler: (request) =>
      chips.muxes.read(projectIdOf(request), request.params.chip_id, request.params.mux_id),
  });
};

/** Registered separately, because among the chip routes only this list omits null fields. */
const listRoute: FastifyPluginAsyncZod<Pick<Areas, 'chips'>> = async (app, { chips }) => {
  await app.register(leavingOutNulls);
  app.route({
    method: 'GET',
    url: '/chips/:chip_id/muxes',
    onRequest: app.inProject('read'),
    config: { isLargeRead: true },
    schema: {
      ...common,
      operationId: 'list_muxes',
      summary: 'All multiplexers with the newest result of every task on each qubit',
      description: '`fields` makes the answer for a large chip many times smaller.',
      params: chipParams,
      querystring: listQuery,
      headers: readingHeaders,
      response: { 200: muxList, ...taggedAnswers, ...projectAnswers },
    },
    handler: async (request, reply) => {
      const { chip_id } = request.params;
      const projectId = projectIdOf(request);
      const { fields } = request.query;
      const unchanged = unchangedAnswer(request, reply, await chips.muxes.tag(projectId, chip_id, fields));
      if (unchanged) return unchanged;
      const muxes = await chips.muxes.list(projectId, chip_id, fields);
      return sendEntries(reply, { name: 'muxes', entry: mux }, entriesOf(muxes));
    },
  });
};

async function* entriesOf(muxes: AsyncIterable<Mux[]>): AsyncGenerator<(readonly [string, Mux])[]> {
  for await (const page of muxes) yield page.map((each) => [String(each.mux_id), each] as const);
}
