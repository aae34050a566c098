import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import {
  ownTaskReanalysis,
  qubitReanalysis,
  reanalysed,
  resonatorReanalysis,
} from '../../../shared/domain/reanalysis/model.ts';
import {
  qubitOverrides,
  qubitSpectroscopy,
  resonatorOverrides,
  resonatorSpectroscopy,
} from '../../../shared/domain/reanalysis/rules.ts';
import { taskIdSchema } from '../../../shared/kernel/ids.ts';
import { shareUserId } from '../../../shared/kernel/sharing-accounts.ts';
import { callerOf } from '../../plugins/authentication.ts';
import { projectIdOf } from '../../plugins/project-scope.ts';
import { bearer, bodyAnswers, projectAnswers, projectHeaders } from '../answers.ts';

const common = {
  tags: ['chips'],
  security: bearer,
  headers: projectHeaders,
  params: z.object({ chip_id: z.string(), qid: z.string() }),
  response: { 200: reanalysed, ...projectAnswers, ...bodyAnswers, 409: errorBody, 410: errorBody },
};

/** Spectroscopies and tasks of a lab analysed again, as previews. */
export const reanalysisRoutes: FastifyPluginAsyncZod<Pick<Areas, 'reanalysis'>> = async (
  app,
  { reanalysis },
) => {
  app.route({
    method: 'POST',
    url: '/chips/:chip_id/qubits/:qid/reanalyze/resonator-spectroscopy',
    onRequest: app.inProject('read'),
    config: { audit: null },
    schema: {
      ...common,
      operationId: 'reanalyze_resonator_spectroscopy',
      summary: 'Preview what stored resonator data says with other parameters; nothing is changed',
      body: resonatorReanalysis,
    },
    handler: (request) => {
      const { chip_id: chipId, qid } = request.params;
      return reanalysis.preview(resonatorSpectroscopy, {
        projectId: projectIdOf(request),
        userId: shareUserId(callerOf(request).user),
        chipId,
        qid,
        sourceTaskId: request.body.source_task_id,
        overrides: resonatorOverrides(request.body),
      });
    },
  });

  app.route({
    method: 'POST',
    url: '/chips/:chip_id/qubits/:qid/reanalyze/qubit-spectroscopy',
    onRequest: app.inProject('read'),
    config: { audit: null },
    schema: {
      ...common,
      operationId: 'reanalyze_qubit_spectroscopy',
      summary: 'Preview what stored qubit data says with other parameters; nothing is changed',
      body: qubitReanalysis,
    },
    handler: (request) => {
      const { chip_id: chipId, qid } = request.params;
      return reanalysis.preview(qubitSpectroscopy, {
        projectId: projectIdOf(request),
        userId: shareUserId(callerOf(request).user),
        chipId,
        qid,
        sourceTaskId: request.body.source_task_id,
        overrides: qubitOverrides(request.body),
      });
    },
  });

  app.route({
    method: 'POST',
    url: '/task-results/:task_id/reanalyze',
    onRequest: app.inProject('read'),
    config: { audit: null },
    schema: {
      ...common,
      tags: ['task-results'],
      params: z.object({ task_id: taskIdSchema }),
      operationId: 'reanalyze_task_result',
      summary:
        "Preview what a worker of its backend finds in the data of a lab's own task; nothing is changed",
      body: ownTaskReanalysis,
    },
    handler: (request) =>
      reanalysis.previewOwn({
        projectId: projectIdOf(request),
        userId: shareUserId(callerOf(request).user),
        taskId: request.params.task_id,
        overrides: request.body.parameters ?? {},
      }),
  });
};
