import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import { errorBody } from '../../../shared/domain/errors.ts';
import { availability, startedRun } from '../../../shared/domain/runs/model.ts';
import {
  checkAvailability,
  reExecuteExecution,
  retryExecution,
} from '../../../shared/domain/runs/request-model.ts';
import { executionIdSchema } from '../../../shared/kernel/ids.ts';
import { projectIdOf } from '../../plugins/project-scope.ts';
import { bearer, bodyAnswers, projectAnswers, projectHeaders, startHeaders } from '../answers.ts';
import { runOrderOf } from './run-order.ts';

const common = { tags: ['executions'], security: bearer };
const executionParams = z.object({ execution_id: executionIdSchema });
const startAnswers = { 200: startedRun, ...projectAnswers, ...bodyAnswers, 409: errorBody };

/** Repeats of executions, and checks whether a run could start. */
export const repeatRoutes: FastifyPluginAsyncZod<Pick<Areas, 'runs'>> = async (app, { runs }) => {
  app.route({
    method: 'POST',
    url: '/executions/check-availability',
    onRequest: app.inProject('read'),
    config: { audit: null },
    schema: {
      ...common,
      operationId: 'check_availability',
      summary: 'Whether a run could start now; reserves nothing',
      headers: projectHeaders,
      body: checkAvailability,
      response: { 200: availability, ...projectAnswers, ...bodyAnswers },
    },
    handler: (request) => runs.availability(projectIdOf(request), request.body),
  });

  app.route({
    method: 'POST',
    url: '/executions/:execution_id/re-execute',
    onRequest: app.inProject('write'),
    config: { audit: { action: 'run_started', details: ['execution_id'] } },
    schema: {
      ...common,
      operationId: 're_execute_execution',
      summary: 'Run a flow again, linked to an earlier execution',
      headers: startHeaders,
      params: executionParams,
      body: reExecuteExecution,
      response: startAnswers,
    },
    handler: (request) => runs.reExecute(runOrderOf(request), request.params.execution_id, request.body),
  });

  app.route({
    method: 'POST',
    url: '/executions/:execution_id/retry',
    onRequest: app.inProject('write'),
    config: { audit: { action: 'run_started', details: ['execution_id'] } },
    schema: {
      ...common,
      operationId: 'retry_execution',
      summary: 'Run the targets of an execution again that did not complete',
      description:
        'Starts a run of the same flow with the same parameters, chip and backend. Every stage measures only ' +
        'targets of which a task failed, was skipped or was cancelled in the execution, and did not complete later in it; a stage ' +
        'without such a target is skipped. A target goes through the whole flow, so that what failed finds fresh ' +
        'values. The notes link both executions: `retry_of` and `retried_by`.',
      headers: startHeaders,
      params: executionParams,
      body: retryExecution,
      response: startAnswers,
    },
    handler: (request) => runs.retry(runOrderOf(request), request.params.execution_id, request.body),
  });
};
