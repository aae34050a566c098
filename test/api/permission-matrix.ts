/**
 * Who may ask what, one line a route. `anyone` needs no token; `user` any token; `administrator` that of a system
 * administrator; `viewer`, `editor` and `owner` at least that role in the project of the request, system
 * administrators not excepted.
 *
 * Routes and table are compared with the running server by permission-matrix.test.ts: a new route needs a line here.
 */
export type Access = 'anyone' | 'user' | 'administrator' | 'viewer' | 'editor' | 'owner';

export const accessOf: Readonly<Record<string, Access>> = {
  // the service itself
  'GET /healthz': 'anyone',
  'GET /readyz': 'anyone',
  'GET /metrics-prometheus': 'anyone',
  'GET /openapi.json': 'anyone',
  'GET /docs': 'anyone',
  'GET /docs/json': 'anyone',
  'GET /docs/yaml': 'anyone',
  'GET /docs/static/*': 'anyone',
  'GET /docs/static/index.html': 'anyone',
  'GET /docs/static/swagger-initializer.js': 'anyone',
  'GET /settings': 'user',

  // accounts
  'POST /auth/login': 'anyone',
  'POST /auth/logout': 'anyone',
  'GET /auth/me': 'user',
  'PATCH /auth/me': 'user',
  'POST /auth/change-password': 'user',
  'POST /auth/register': 'administrator',
  'POST /auth/reset-password': 'administrator',

  // administration
  'POST /admin/config/reload': 'administrator',
  'GET /admin/users': 'administrator',
  'POST /admin/users/bulk-import': 'administrator',
  'GET /admin/users/:username': 'administrator',
  'PUT /admin/users/:username': 'administrator',
  'DELETE /admin/users/:username': 'administrator',
  'POST /admin/users/:username/project': 'administrator',
  'GET /admin/projects': 'administrator',
  'GET /admin/audit': 'administrator',
  'DELETE /admin/projects/:project_id': 'administrator',
  'GET /admin/projects/:project_id/members': 'administrator',
  'POST /admin/projects/:project_id/members': 'administrator',
  'DELETE /admin/projects/:project_id/members/:username': 'administrator',

  // projects and members
  'GET /projects': 'user',
  'POST /projects': 'user',
  'GET /projects/:project_id': 'viewer',
  'PATCH /projects/:project_id': 'owner',
  'DELETE /projects/:project_id': 'owner',
  'POST /projects/:project_id/transfer': 'administrator',
  'GET /projects/:project_id/members': 'viewer',
  'POST /projects/:project_id/members': 'owner',
  'PATCH /projects/:project_id/members/:username': 'owner',
  'DELETE /projects/:project_id/members/:username': 'owner',

  // chips
  'GET /chips': 'viewer',
  'POST /chips': 'editor',
  'GET /chips/:chip_id': 'viewer',
  'PATCH /chips/:chip_id': 'editor',
  'DELETE /chips/:chip_id': 'editor',
  'GET /chips/:chip_id/deletion-impact': 'viewer',
  'GET /chips/:chip_id/dates': 'viewer',
  'GET /chips/:chip_id/muxes': 'viewer',
  'GET /chips/:chip_id/muxes/:mux_id': 'viewer',
  'GET /topology/list': 'user',
  'GET /topology/:topology_id': 'user',
  'GET /chips/:chip_id/qubits': 'viewer',
  'GET /chips/:chip_id/qubits/:qid': 'viewer',
  'GET /chips/:chip_id/couplings': 'viewer',
  'GET /chips/:chip_id/couplings/:coupling_id': 'viewer',

  // tasks and backends
  'GET /tasks': 'viewer',
  'GET /tasks/:task_id/result': 'viewer',
  'POST /tasks/:task_name/execute': 'editor',
  'GET /backends': 'viewer',
  'GET /task-files/backend-config': 'user',
  'GET /task-files/backends': 'user',
  'GET /task-files/settings': 'user',
  'GET /task-files/tasks': 'user',

  // flows and schedules
  'GET /flows': 'viewer',
  'POST /flows': 'editor',
  'GET /flows/helpers': 'user',
  'GET /flows/helpers/:filename': 'user',
  'GET /flows/templates': 'user',
  'GET /flows/templates/:template_id': 'user',
  'GET /flows/:name': 'viewer',
  'DELETE /flows/:name': 'editor',
  'POST /flows/:name/execute': 'editor',
  'POST /flows/:name/schedule': 'editor',
  'GET /flows/:name/schedules': 'viewer',
  'GET /flows/schedules': 'viewer',
  'PATCH /flows/schedules/:schedule_id': 'editor',
  'DELETE /flows/schedules/:schedule_id': 'editor',

  // executions
  'GET /executions': 'viewer',
  'GET /tags': 'viewer',
  'GET /executions/lock-status': 'viewer',
  'POST /executions/check-availability': 'viewer',
  'GET /executions/:execution_id': 'viewer',
  'GET /executions/:execution_id/events': 'viewer',
  'GET /executions/:execution_id/log': 'viewer',
  'GET /executions/:execution_id/stages': 'viewer',
  'GET /executions/:execution_id/stages/:index': 'viewer',
  'POST /executions/:flow_run_id/cancel': 'editor',
  'POST /executions/:execution_id/pause': 'editor',
  'POST /executions/:execution_id/resume': 'editor',
  'POST /executions/:execution_id/stop': 'editor',
  'POST /executions/:execution_id/re-execute': 'editor',
  'POST /executions/:execution_id/retry': 'editor',
  'GET /approvals': 'viewer',
  'POST /approvals/:approval_id': 'editor',

  // files
  'GET /executions/figure': 'anyone',
  'GET /executions/artifact': 'anyone',
  'GET /executions/artifact/preview': 'anyone',
  'GET /executions/artifacts/archive': 'anyone',
  'GET /files/raw-data': 'anyone',
  'GET /files/zip': 'anyone',
  'GET /files/tree': 'anyone',
  'GET /files/content': 'anyone',
  'PUT /files/content': 'user',
  'POST /files/validate': 'anyone',
  'GET /files/git/status': 'anyone',
  'POST /files/git/pull': 'user',
  'POST /files/git/push': 'user',

  // results and where they come from
  'GET /task-results': 'viewer',
  'GET /task-results/qubits/latest': 'viewer',
  'GET /task-results/qubits/history': 'viewer',
  'GET /task-results/qubits/:qid/history': 'viewer',
  'GET /task-results/couplings/latest': 'viewer',
  'GET /task-results/couplings/history': 'viewer',
  'GET /task-results/couplings/:coupling_id/history': 'viewer',
  'GET /task-results/timeseries': 'viewer',
  'POST /task-results/:task_id/exclude': 'editor',
  'POST /task-results/:task_id/re-execute': 'editor',
  'POST /task-results/figures/download': 'viewer',
  'GET /provenance/history': 'viewer',
  'GET /provenance/lineage/:entity_id': 'viewer',
  'GET /provenance/impact/:entity_id': 'viewer',
  'GET /provenance/recommendations/:entity_id': 'viewer',
  'GET /provenance/entities/:entity_id': 'viewer',
  'GET /provenance/compare': 'viewer',
  'GET /provenance/stats': 'viewer',
  'GET /provenance/executions': 'viewer',
  'GET /provenance/changes': 'viewer',
  'GET /provenance/degradation-trends': 'viewer',
};

/** Queries of reads that ask for one; the things that they name are those of the test's project. */
export const queryOf: Readonly<Record<string, string>> = {
  'GET /executions': 'chip_id=CHIP',
  'GET /provenance/history': 'parameter_name=t1&qid=0',
  'GET /provenance/compare': 'execution_id_before=20260102-000&execution_id_after=20260102-000',
  'GET /task-results/qubits/latest': 'chip_id=CHIP&task=CheckT1',
  'GET /task-results/timeseries': 'chip_id=CHIP&parameter=t1&start_at=2026-01-01&end_at=2026-01-03',
  'GET /task-results/qubits/history': 'chip_id=CHIP&task=CheckT1&date=20260102',
  'GET /task-results/qubits/:qid/history': 'chip_id=CHIP&task=CheckT1',
  'GET /task-results/couplings/latest': 'chip_id=CHIP&task=CheckCrossResonance',
  'GET /task-results/couplings/history': 'chip_id=CHIP&task=CheckCrossResonance&date=20260102',
  'GET /task-results/couplings/:coupling_id/history': 'chip_id=CHIP&task=CheckCrossResonance',
};
