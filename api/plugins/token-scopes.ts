import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../shared/domain/accounts/model.ts';
import type { ProgramScope } from '../../shared/domain/accounts/program-token-model.ts';
import { assertPermitted, permits } from '../../shared/domain/accounts/program-token-rules.ts';

/** What a route requires of a token for programs: a scope, or that there is none, but a person who signed in. */
type Needed = ProgramScope | 'person';

/**
 * Routes that require something else than the rule: `read` for GET, `operate` for everything else, and `administer` where
 * the route asks for a project's owner or a system administrator.
 */
const exceptions: Readonly<Record<string, Needed>> = {
  // What makes or changes credentials
  'GET /auth/tokens': 'person',
  'POST /auth/tokens': 'person',
  'POST /auth/tokens/:token_id/rotate': 'person',
  'DELETE /auth/tokens/:token_id': 'person',
  'POST /projects/:project_id/service-accounts': 'person',
  'PATCH /projects/:project_id/service-accounts/:username': 'person',
  'DELETE /projects/:project_id/service-accounts/:username': 'person',
  'POST /auth/change-password': 'person',
  'POST /auth/second-factor': 'person',
  'POST /auth/second-factor/confirm': 'person',
  'POST /auth/second-factor/remove': 'person',
  'POST /auth/reset-second-factor': 'person',
  'GET /auth/passkeys': 'person',
  'POST /auth/passkeys': 'person',
  'POST /auth/passkeys/confirm': 'person',
  'POST /auth/passkeys/remove': 'person',
  'POST /auth/reset-password': 'person',
  'POST /auth/register': 'person',
  'POST /api/auth/register': 'person',
  'POST /admin/users/bulk-import': 'person',

  // Agents wait here for a person.
  'POST /agent-sessions/:session_id/resume': 'person',

  // What measures, computes or asks a language model, now or later
  'POST /tasks/:task_name/execute': 'run',
  'POST /flows/:name/execute': 'run',
  'POST /flows/:name/schedule': 'run',
  'PATCH /flows/schedules/:schedule_id': 'run',
  'DELETE /flows/schedules/:schedule_id': 'run',
  'POST /executions/:flow_run_id/cancel': 'run',
  'POST /executions/:execution_id/pause': 'run',
  'POST /executions/:execution_id/resume': 'run',
  'POST /executions/:execution_id/stop': 'run',
  'POST /executions/:execution_id/re-execute': 'run',
  'POST /executions/:execution_id/retry': 'run',
  'POST /task-results/:task_id/re-execute': 'run',
  'POST /task-results/ai-review/bulk': 'run',
  'POST /task-results/ai-review/runs/:review_run_id/cancel': 'run',
  'POST /copilot/analyze': 'run',
  'POST /copilot/analyze/stream': 'run',
  'POST /copilot/chat': 'run',
  'POST /copilot/chat/stream': 'run',
  'POST /flows/:name/agent/codex': 'run',
  'POST /flows/:name/agent/codex/stream': 'run',
  'POST /api/calibration': 'run',
  'POST /api/calibration/schedule': 'run',
  'DELETE /api/calibration/schedule/:flow_run_id': 'run',
  'POST /api/calibration/cron-schedule': 'run',
  // An agent with this scope acts within the policy of a session that a person has made for it.
  'POST /agent-sessions/:session_id/cancel': 'run',
  'POST /agent-sessions/:session_id/actions': 'run',
  'POST /agent-sessions/:session_id/actions/:action_id/execute': 'run',
  'POST /agent-sessions/:session_id/actions/:action_id/candidates/:parameter_name/commit': 'run',
  'POST /agent-sessions/:session_id/campaign-commits': 'run',
  'POST /agent-sessions/:session_id/commits/:commit_id/apply': 'run',

  // What only answers a question with a body
  'POST /agent-sessions/:session_id/candidate-gate': 'read',
  'POST /executions/check-availability': 'read',
  'POST /files/validate': 'read',
  'POST /metrics/chips/:chip_id/metrics/pdf': 'read',
  'POST /device-topology': 'read',
  'POST /device-topology/plot': 'read',
  'POST /api/device_topology': 'read',
  'POST /api/device_topology/plot': 'read',
  'POST /task-results/figures/download': 'read',
  'POST /chips/:chip_id/qubits/:qid/reanalyze/resonator-spectroscopy': 'read',
  'POST /chips/:chip_id/qubits/:qid/reanalyze/qubit-spectroscopy': 'read',
  'POST /task-results/:task_id/reanalyze': 'read',
};

/** Routes outside a project that a token limited to a project may use: their answers show nothing of another project. */
const outsideProjects: ReadonlySet<string> = new Set([
  'GET /auth/me',
  'GET /projects',
  'GET /settings',
  'GET /config/all',
  'GET /copilot/config',
  'GET /copilot/expected-image',
  'GET /metrics/config',
  'GET /topology/list',
  'GET /topology/:topology_id',
  'GET /flows/helpers',
  'GET /flows/helpers/:filename',
  'GET /flows/templates',
  'GET /flows/templates/:template_id',
  'GET /task-knowledge',
  'GET /tasks/:task_name/knowledge',
  'GET /tasks/:task_name/knowledge/markdown',
  'GET /task-files/backend-config',
  'GET /task-files/backends',
  'GET /task-files/settings',
  'GET /task-files/tasks',
  'GET /task-files/tree',
  'GET /task-files/content',
  'GET /api/auth/me',
  'GET /api/settings',
  // Files by path: the handler checks the project of the path.
  'GET /executions/figure',
  'GET /executions/artifact',
  'GET /executions/artifact/preview',
  'GET /executions/artifacts/archive',
  'GET /files/raw-data',
  'GET /files/zip',
  'GET /files/tree',
  'GET /files/content',
  'PUT /files/content',
  'DELETE /files/content',
  'POST /files/validate',
  'GET /files/git/status',
  'GET /api/executions/figure',
  'GET /api/file/raw_data',
  'GET /api/file/zip',
]);

/** Every route that a rule of this file names, so that a test finds names of routes that do not exist. */
export const namedRoutes: readonly string[] = [...Object.keys(exceptions), ...outsideProjects];

function routeOf({ method, routeOptions }: Pick<FastifyRequest, 'method' | 'routeOptions'>): string {
  return `${method === 'HEAD' ? 'GET' : method} ${routeOptions.url ?? ''}`;
}

/** @throws insufficient_scope, sign_in_required when the caller's token does not permit the route */
export function assertScopeOfRoute(
  request: Pick<FastifyRequest, 'method' | 'routeOptions'>,
  { token }: Caller,
): void {
  const route = routeOf(request);
  assertPermitted(token, exceptions[route] ?? (route.startsWith('GET ') ? 'read' : 'operate'));
}

/** Whether the caller's token permits what only administrators and owners may do. */
export function mayAdminister({ token }: Caller): boolean {
  return !token?.program || permits(token.program.scopes, 'administer');
}

/** @throws insufficient_scope when the caller's token does not have the scope */
export function assertScope({ token }: Caller, scope: ProgramScope): void {
  assertPermitted(token, scope);
}

/** Whether a token that is limited to a project may use the route although it is outside a project. */
export function countsOutsideProjects(request: Pick<FastifyRequest, 'method' | 'routeOptions'>): boolean {
  return outsideProjects.has(routeOf(request));
}
