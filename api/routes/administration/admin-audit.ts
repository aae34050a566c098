import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import type { Areas } from '../../../shared/domain/areas.ts';
import { auditList, auditQuery } from '../../../shared/domain/audit/model.ts';
import { bearer, tokenAnswers } from '../answers.ts';

/** The audit trail, for system administrators. */
export const adminAuditRoutes: FastifyPluginAsyncZod<Pick<Areas, 'audit'>> = async (app, { audit }) => {
  app.route({
    method: 'GET',
    url: '/admin/audit',
    onRequest: app.administrator,
    schema: {
      tags: ['administration'],
      security: bearer,
      operationId: 'admin_list_audit_entries',
      summary: 'Who did what, when and where: a page of the audit trail, newest first',
      querystring: auditQuery,
      response: { 200: auditList, ...tokenAnswers },
    },
    handler: ({ query }) => audit.page(query),
  });
};
