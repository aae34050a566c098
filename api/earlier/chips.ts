import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../shared/domain/areas.ts';
import { chipDates } from '../../shared/domain/chips/model.ts';
import type { ProjectId } from '../../shared/kernel/ids.ts';
import { projectIdOf } from '../plugins/project-scope.ts';
import { projectAnswers } from '../routes/answers.ts';
import { type EarlierOptions, userProjectHeaders } from './answers.ts';
import { type WholeChip, wholeChip, wholeChipOf } from './chip-shapes.ts';

const chipParams = z.object({ chip_id: z.string() });

type Options = Pick<Areas, 'chips' | 'executions'> & EarlierOptions;

/** Chips, each with all its qubits and couplings. */
export const chipRoutes: FastifyPluginAsyncZod<Options> = async (app, options) => {
  const { chips, executions, identity } = options;
  const common = { tags: ['chip'], security: identity.security, headers: userProjectHeaders };

  async function read(projectId: ProjectId, chipId: string): Promise<WholeChip> {
    const chip = await chips.mustGet(projectId, chipId);
    const [qubits, couplings, topology] = await Promise.all([
      chips.allTargets('qubit', projectId, chipId),
      chips.allTargets('coupling', projectId, chipId),
      chips.topology(projectId, chipId),
    ]);
    return wholeChipOf(chip, { qubits, couplings }, topology);
  }

  app.route({
    method: 'GET',
    url: '/chip',
    onRequest: identity.inProject('read', 'default user'),
    schema: {
      ...common,
      operationId: 'list_chips',
      summary: 'The chips of the project with all their qubits and couplings',
      response: { 200: z.array(wholeChip), ...projectAnswers },
    },
    handler: async (request) => {
      const projectId = projectIdOf(request);
      const found: WholeChip[] = [];
      for (const { chip_id } of (await chips.list(projectId)).chips)
        found.push(await read(projectId, chip_id));
      return found;
    },
  });

  app.route({
    method: 'GET',
    url: '/chip/:chip_id',
    onRequest: identity.inProject('read'),
    config: { isLargeRead: true },
    schema: {
      ...common,
      operationId: 'get_chip',
      summary: 'One chip with all its qubits and couplings',
      params: chipParams,
      response: { 200: wholeChip, ...projectAnswers },
    },
    handler: (request) => read(projectIdOf(request), request.params.chip_id),
  });

  app.route({
    method: 'GET',
    url: '/chip/:chip_id/dates',
    onRequest: identity.inProject('read'),
    schema: {
      ...common,
      operationId: 'list_chip_dates',
      summary: 'Days on which the chip had executions, as YYYYMMDD',
      params: chipParams,
      response: { 200: chipDates, ...projectAnswers },
    },
    handler: async (request) => {
      const { chip_id } = await chips.mustGet(projectIdOf(request), request.params.chip_id);
      return executions.days(projectIdOf(request), chip_id);
    },
  });
};
