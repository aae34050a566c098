const note = '{content, updated_by, updated_at~}';
const logEntry = '{index, kind, message~, name~, value, at}';
const runParameter = '{value or []~, value_type, unit, description}';
const comment = '{comment_id, content, created_by, created_at, updated_by, updated_at~}';
const change =
  '{parameter_name, qid, value_before~, value_after~, error_before~, error_after~, unit, delta~, delta_percent~}';
const started = '{execution_id, flow_run_id, flow_run_url, service_ui_url, qdash_ui_url, message}';
const metric =
  '{title, unit, scale, description, evaluation{mode}, threshold{value, range{min, max, step}}~}';
const metricInFile =
  '{title, unit, scale, description, evaluation{mode}, threshold{value, range{min, max, step}, in_shown_unit}~, error_rate_range{min, max, step}?}';
const model = '{provider, name, temperature~, max_output_tokens}';
const project =
  '{project_id, owner_user_id, owner_username, name, description~, tags[], default_role, created_at, updated_at}';
const noteEvent =
  '{project_id, chip_id, scope, target_id, metric_key, action, actor_user_id, actor, content, extra{*}, created_at}';
const approval =
  '{approval_id, execution_id, question, options[], default, deadline, status, answer~, answered_by~, answered_at~}';
const activity =
  '{activity_id, execution_id, task_id, task_name, task_type, qid, started_at~, ended_at~, status, project_id, chip_id}';
const user =
  '{user_id, username, display_name~, organization~, avatar_key~, disabled, default_project_id~, must_change_password, system_role}';
const cryostat = `{cryo_id, name, manufacturer, model, location, status, commissioned_at~, decommissioned_at~, note${note}}`;
const member =
  '{user_id, username, display_name~, organization~, avatar_key~, project_id, role, status, invited_by_user_id~, invited_by~, last_accessed_at~}';
const cooldown = `{cooldown_id, cryo_id, description, started_at, ended_at~, chip_ids[], note${note}, wiring_info, wiring_blocks{*}[]}`;
const listedCooldown = `{cooldown_id, cryo_id, description, started_at, ended_at~, chip_ids[], note${note}}`;
const chip = `{chip_id, size, topology_id, qubit_count, coupling_count, installed_at, activity_status, current_cooldown_id~, note${note}}`;
const version =
  '{entity_id, parameter_name, qid, value, value_type, unit, error, version, valid_from, valid_until~, execution_id, task_id, task_name, project_id, chip_id}';
const edit =
  '{edit_id, chip_id, qid, target_type, changes{parameter_name, previous_value or []~, value, unit, error~}[], reason, edited_by, edited_at, undone_by~, undone_at~, undo_of~}';
const notedTarget = `{target_id, note${note}, comments${comment}[], metric_notes{*${note}}}`;
const parameter =
  '{parameter_name, qid_role, source~?, required, value or []~, value_type, error~?, unit, description, calibrated_at~?, execution_id, task_id, previous_database_value~?, database_updated?}';
const leftOutParameter =
  '{parameter_name, qid_role, source~?, required, value or []~?, value_type, error~?, unit, description, calibrated_at~?, execution_id, task_id, previous_database_value~?, database_updated?}';
const stage =
  '{index, name, status, tasks[], targets, counts{*}~, passed[], failed{target, task, message}[], yields{task, completed, failed, skipped, cancelled, yield~}[], target_yield~, start_at, end_at~}';
const schedule =
  '{schedule_id, flow_name, schedule_type, cron~, next_run~, active, timezone, parameters{*}, jitter_seconds, priority, allow_preemption, created_by, runs_as, paused_reason~, created_at, last_outcome{due_at, at, status, execution_id~, held_by~, message}~}';
const category = '{id, project_id, key, name, description, color, icon, sort_order, is_archived}';
const post =
  '{id, project_id, number, category, user_id~, username, avatar_key~, title~, content, content_blocks{*}[], parent_id~, labels[], assignee_username~, status, chip_id~, target_type~, target_id~, cooldown_id~, reply_count, is_deleted, is_ai_reply, created_at, updated_at}';
const issue =
  '{id, task_id, user_id~, username, avatar_key~, title~, content, created_at, updated_at, parent_id~, reply_count, is_closed, is_ai_reply}';
const knowledgeCase =
  '{id, issue_id, task_id, task_name, status, date, chip_id, qid, resolution_status, title, severity, human_label, failure_mode_labels[], case_type[], model_error_type, resolution_label, symptom, model_prediction, human_review_decision, root_cause, resolution, boundary_criteria, lesson_learned[], applicability, counterexample, prompt_guidance, figure_paths[], thread_image_urls[], reviewed_by_user_id~, reviewed_by~, pr_url~, created_at, updated_at}';
const chatSession =
  '{session_id, title, context{*}~, messages{role, content, attached_image~, created_at}[], created_at, updated_at}';
const notification =
  '{id, project_id, recipient_user_id, recipient_username, actor_user_id, actor_username, kind, source_type, source_id, target_url, title, excerpt, read_at~, created_at}';
const target = `{qid, chip_id, status, data{*${parameter}}, note${note}, metric_notes{*${note}}}`;
const lineageNode = `{node_type, node_id, depth, entity${version}~, activity${activity}~, latest_version~}`;
const historyItem = `{value or [], execution_id, task_id, timestamp, calibrated_at~, name, input_parameters{*${parameter}}, output_parameters{*${parameter}}, excluded, excluded_reason, excluded_by_user_id, excluded_by, excluded_at~}`;
const entry = `{user_id, username, task_id, qid, name, upstream_id, status, message, input_parameters{*${leftOutParameter}}, output_parameters{*${leftOutParameter}}, output_parameter_names[], run_parameters{*{value or []~?, value_type, unit, description}}, note{*}, figure_path[], json_figure_path[], raw_data_path[], start_at~?, end_at~?, elapsed_time~?, task_type, default_view, execution_id, over_threshold, ai_review{status, requested_at~?, requested_by, review_run_id, trigger_type, model_provider, model_name, completed_at~?, error, decision, held_back}}`;

/** The fields of answers as clients of the earlier service know them: names, order, what may be null (~) or left out (?). */
export const answerShapes: Readonly<Record<string, string>> = {
  'POST /auth/login 200':
    '{access_token, token_type, expires_in, user_id, username, default_project_id~, must_change_password}',
  'GET /auth/me 200': `${user}`,
  'PATCH /auth/me 200': `${user}`,
  'POST /auth/register 200':
    '{user_id, username, display_name~, organization~, avatar_key~, disabled, default_project_id~, must_change_password, system_role, access_token, initial_password~}',
  'POST /auth/reset-password 200': '{message, initial_password?}',
  'GET /projects 200': `{projects${project}[], total}`,
  'POST /projects 201': `${project}`,
  'GET /projects/{project_id} 200': `${project}`,
  'PATCH /projects/{project_id} 200': `${project}`,
  'POST /projects/{project_id}/transfer 200': `${project}`,
  'GET /projects/{project_id}/members 200': `{members${member}[], total}`,
  'POST /projects/{project_id}/members 201': `${member}`,
  'PATCH /projects/{project_id}/members/{username} 200': `${member}`,
  'POST /admin/users/bulk-import 200':
    '{results{row_number, username, display_name~, organization~, system_role, initial_password~, status, message~}[], created, skipped, failed, total}',
  'GET /admin/users 200': `{users${user}[], total}`,
  'GET /admin/users/{username} 200':
    '{user_id, username, display_name~, organization~, avatar_key~, disabled, default_project_id~, must_change_password, system_role, created_at, updated_at}',
  'PUT /admin/users/{username} 200':
    '{user_id, username, display_name~, organization~, avatar_key~, disabled, default_project_id~, must_change_password, system_role, created_at, updated_at}',
  'POST /admin/users/{username}/project 201':
    '{user_id, username, display_name~, organization~, avatar_key~, disabled, default_project_id~, must_change_password, system_role, created_at, updated_at}',
  'GET /admin/projects 200':
    '{projects{project_id, name, owner_user_id, owner_username, description~, member_count, created_at}[], total}',
  'GET /admin/projects/{project_id}/members 200':
    '{members{user_id, username, display_name~, organization~, avatar_key~, role, status}[], total}',
  'POST /admin/projects/{project_id}/members 201':
    '{user_id, username, display_name~, organization~, avatar_key~, role, status}',
  'GET /chips 200': `{chips${chip}[], total}`,
  'POST /chips 200': `${chip}`,
  'GET /chips/{chip_id} 200': `${chip}`,
  'PATCH /chips/{chip_id} 200': `${chip}`,
  'GET /chips/{chip_id}/deletion-impact 200':
    '{chip_id, qubits, couplings, task_results, qubit_history_snapshots, coupling_history_snapshots, cooldowns_referencing, can_delete_safely}',
  'GET /chips/{chip_id}/dates 200': '{data[]}',
  'GET /chips/{chip_id}/qubits 200': `{qubits${target}[], total, limit, offset}`,
  'GET /chips/{chip_id}/qubits/{qid} 200': `${target}`,
  'GET /chips/{chip_id}/couplings 200': `{couplings${target}[], total, limit, offset}`,
  'GET /chips/{chip_id}/couplings/{coupling_id} 200': `${target}`,
  'GET /chips/{chip_id}/muxes 200': `{muxes{*{mux_id, detail{*{*{task_id~?, name, status, message~?, input_parameters{*${leftOutParameter}}~?, output_parameters{*${leftOutParameter}}~?, output_parameter_names[]~?, note{*}~?, figure_path[]~?, json_figure_path[]~?, raw_data_path[]~?, start_at~?, end_at~?, elapsed_time~?, task_type~?, qid~?, upstream_id~?}}}}}}`,
  'GET /chips/{chip_id}/muxes/{mux_id} 200': `{mux_id, detail{*{*{task_id~, name, status, message~, input_parameters{*${parameter}}~, output_parameters{*${parameter}}~, output_parameter_names[]~, note{*}~, figure_path[]~, json_figure_path[]~, raw_data_path[]~, start_at~, end_at~, elapsed_time~, task_type~, qid~, upstream_id~}}}}`,
  'GET /metrics/config 200': `{qubit_metrics{*${metric}}, coupling_metrics{*${metric}}, color_scale{colors[]}, cdf_groups{qubit{id, title, unit, metrics[]}[], coupling{id, title, unit, metrics[]}[]}}`,
  'GET /chips/{chip_id}/metrics/summary 200': '{chip_id, qubit_count, averages{*}}',
  'GET /chips/{chip_id}/metrics/heatmap/{metric} 200':
    '{chip_id, metric, values{*}, unit~, errors{*}, calibrated_at{*}}',
  'GET /metrics/chips/{chip_id}/metrics 200':
    '{chip_id, username, qubit_count, within_hours~, start_at~, end_at~, qubit_metrics{*{*{value~, task_id~, execution_id, stddev~}}}, coupling_metrics{*{*{value~, task_id~, execution_id, stddev~}}}}',
  'GET /metrics/chips/{chip_id}/qubits/{qid}/history 200': `{qid, chip_id, metric_name, username, history${historyItem}[]}`,
  'GET /metrics/chips/{chip_id}/couplings/{coupling_id}/history 200': `{qid, coupling_id, chip_id, metric_name, username, history${historyItem}[]}`,
  'GET /dashboard/chips/{chip_id}/ai-insights 200':
    '{chip_id, summary, insights{kind, severity, title, detail, task_name, qids[], task_ids[]}[], suppressed_pass_count}',
  'GET /calibrations/note 200': '{username, chip_id, execution_id, task_id, note{*{*{* or []}}}, timestamp}',
  'PATCH /calibrations/parameters 200': `${edit.slice(0, -1)}, updated_count, provenance_activity_id}`,
  'GET /calibrations/manual-edits 200': `{items${edit}[], total, skip, limit}`,
  'GET /calibrations/manual-edits/{qid} 200':
    '{qid, edits{parameter_name, value, unit, edited_at, execution_id}[]}',
  'POST /calibrations/manual-edits/{edit_id}/undo 200': `${edit}`,
  'GET /calibrations/seed-parameters 200':
    '{chip_id, parameters{parameter_name, file, unit, description, count}[]}',
  'GET /calibrations/seed-parameters/{chip_id} 200': '[]',
  'GET /calibrations/seed-compare/{chip_id} 200':
    '{chip_id, parameters{*{unit, qubits{*{yaml_value, qdash_value or []~, status}}}}}',
  'GET /calibrations/seed-compare 200':
    '{chip_id, items{parameter_name, qid, unit, seed_value, current_value or []~, delta~, status}[]}',
  'POST /calibrations/seed-import 200':
    '{chip_id, execution_id~, imported_count, skipped{parameter_name, qid, reason}[], source, skipped_count, error_count, results{parameter_name, qid, value~, unit, status, message}[]}',
  'GET /topology/list 200': '{topologies{id, name, num_qubits}[]}',
  'GET /topology/{topology_id} 200':
    '{data{id, name, description, grid_size, num_qubits, layout_type, direction_convention, mux{enabled, size}, qubits{*{row, col}}, couplings[][], visualization{show_mux_boundaries, region_size}}}',
  'POST /device-topology 200':
    '{name, device_id, qubits{id, physical_id, position{x, y}, fidelity, meas_error{prob_meas1_prep0, prob_meas0_prep1, readout_assignment_error}, qubit_lifetime{t1, t2}, gate_duration{rz, sx, x}}[], couplings{control, target, fidelity, gate_duration{rzx90}}[], calibrated_at}',
  'GET /cryostats 200': `{cryostats${cryostat}[]}`,
  'POST /cryostats 201': `${cryostat}`,
  'GET /cryostats/{cryo_id} 200': `${cryostat}`,
  'PATCH /cryostats/{cryo_id} 200': `${cryostat}`,
  'POST /cooldowns/{cooldown_id}/chips/{chip_id} 200': `${cooldown}`,
  'DELETE /cooldowns/{cooldown_id}/chips/{chip_id} 200': `${cooldown}`,
  'POST /cooldowns/{cooldown_id}/wiring-checkpoint 201':
    '{id, cooldown_id, actor_user_id, actor, action, comment, wiring_info_snapshot, block_count, image_count, created_at}',
  'GET /cooldowns/{cooldown_id}/wiring-events 200':
    '{events{id, cooldown_id, actor_user_id, actor, action, comment, wiring_info_snapshot, block_count, image_count, created_at}[]}',
  'GET /cooldowns 200': `{cooldowns${listedCooldown}[]}`,
  'POST /cooldowns 201': `${cooldown}`,
  'GET /cooldowns/{cooldown_id} 200': `${cooldown}`,
  'PATCH /cooldowns/{cooldown_id} 200': `${cooldown}`,
  'GET /chips/{chip_id}/note-events 200': `{events${noteEvent}[], total}`,
  'GET /note-events/by-target 200': `{events${noteEvent}[], total}`,
  'GET /note-events/search 200': `{events${noteEvent}[], total}`,
  'GET /chips/{chip_id}/note 200': `${note}`,
  'PUT /chips/{chip_id}/note 200': `${note}`,
  'GET /chips/{chip_id}/notes-summary 200': `{chip_id, qubits${notedTarget}[], couplings${notedTarget}[], task_notes{task_id, qid, note${note}, ai_review_note${note}}[]}`,
  'POST /chips/{chip_id}/qubits/{qid}/note/comments 200': `${comment}`,
  'PUT /chips/{chip_id}/qubits/{qid}/note/comments/{comment_id} 200': `${comment}`,
  'POST /chips/{chip_id}/couplings/{coupling_id}/note/comments 200': `${comment}`,
  'PUT /chips/{chip_id}/couplings/{coupling_id}/note/comments/{comment_id} 200': `${comment}`,
  'PUT /chips/{chip_id}/qubits/{qid}/note 200': `${note}`,
  'PUT /chips/{chip_id}/qubits/{qid}/metric-notes/{metric_key} 200': `${note}`,
  'PUT /chips/{chip_id}/couplings/{coupling_id}/note 200': `${note}`,
  'PUT /chips/{chip_id}/couplings/{coupling_id}/metric-notes/{metric_key} 200': `${note}`,
  'GET /task-results/{task_id}/note 200': `${note}`,
  'PUT /task-results/{task_id}/note 200': `${note}`,
  'GET /flows/templates 200': '{id, name, description, category, filename, function_name}[]',
  'GET /flows/templates/{template_id} 200':
    '{id, name, description, category, filename, function_name, code, parameters{*{type, description, required?, required_unless?, alias_of?, default?, minimum?, maximum?, one_of[]?}}~}',
  'GET /flows/helpers 200': '[]',
  'GET /flows 200':
    '{flows{name, created_by, description, chip_id, flow_function_name, created_at, updated_at, tags[], file_exists}[]}',
  'POST /flows 200': '{name, file_path, message}',
  'GET /flows/{name} 200':
    '{name, created_by, description, chip_id, flow_function_name, created_at, updated_at, tags[], file_exists, code, default_parameters{*}, default_run_parameters{*}, file_path, parameters{*{type, description, required?, required_unless?, alias_of?, default?, minimum?, maximum?, one_of[]?}}~}',
  'POST /flows/{name}/execute 200': `${started}`,
  'POST /flows/{name}/schedule 200':
    '{schedule_id, flow_name, schedule_type, cron~, next_run~, active, message}',
  'GET /flows/schedules 200': `{schedules${schedule}[], total, limit, offset}`,
  'GET /flows/{name}/schedules 200': `{schedules${schedule}[], total, limit, offset}`,
  'GET /flows/schedules/due-times 200': '{timezone, due_times[]}',
  'PATCH /flows/schedules/{schedule_id} 200': '{message, schedule_id}',
  'DELETE /flows/schedules/{schedule_id} 200': '{message, schedule_id, schedule_type}',
  'GET /files/tree 200': '{name, path, type, children{…}[]~}[]',
  'GET /files/content 200': '{content, path, name, size, modified}',
  'PUT /files/content 200': '{message, path}',
  'DELETE /files/content 200': '{message, path}',
  'POST /files/validate 200': '{valid, message, error?}',
  'GET /files/git/status 200':
    '{is_git_repo, message} or {is_git_repo, branch~, commit~, commit_message~, is_dirty, changed_files[], untracked_files[], has_remote_updates}',
  'POST /files/git/pull 200': '{success, commit, commit_message, message}',
  'POST /files/git/push 200': '{success, message, commit~, commit_message~, branch~, pr_url~, pr_number~}',
  'GET /executions 200':
    '{executions{name, execution_id, status, message~, user_id, username, start_at~, end_at~, elapsed_time~, tags[], note{stages{*{*}}?}, flow_run_state}[], total, skip, limit}',
  'GET /tags 200': '{tags{name}[]}',
  'GET /executions/lock-status 200': '{lock, execution_id~, chip_id~, name~, status~}',
  'GET /executions/{execution_id} 200': `{name, execution_id, status, message~, flow_name, user_id, username, start_at~, end_at~, elapsed_time~, task{user_id, username, task_id, qid, name, upstream_id, status, message, input_parameters{*${parameter}}, output_parameters{*${parameter}}, output_parameter_names[], run_parameters{*${runParameter}}, note{*}, figure_path[], json_figure_path[], raw_data_path[], start_at~, end_at~, elapsed_time~, task_type, default_view}[], note{stages{*{*}}?}, tags[], chip_id, flow_run_state, waiting~, preempts~, preempted_by~, flow_run_url~, log${logEntry}[]}`,
  'GET /executions/{execution_id}/log 200': `{log${logEntry}[], total, skip, limit}`,
  'POST /executions/{flow_run_id}/cancel 200': '{execution_id, status, message}',
  'GET /executions/{execution_id}/stages 200': `{stages${stage}[], total, skip, limit}`,
  'GET /executions/{execution_id}/stages/{index} 200':
    '{index, name, status, tasks[], targets, counts{*}~, passed[], failed{target, task, message}[], yields{task, completed, failed, skipped, cancelled, yield~}[], target_yield~, start_at, end_at~, metrics{*{unit, values{*{value~, error~}}}}, metrics_truncated}',
  'POST /executions/{execution_id}/pause 200': '{execution_id, status}',
  'POST /executions/{execution_id}/resume 200': '{execution_id, status}',
  'POST /executions/{execution_id}/stop 200': '{execution_id, status}',
  'GET /approvals 200': `{approvals${approval}[], total, skip, limit}`,
  'POST /approvals/{approval_id} 200': `${approval}`,
  'POST /executions/check-availability 200': '{available, reason~}',
  'POST /executions/{execution_id}/re-execute 200': `${started}`,
  'POST /executions/{execution_id}/retry 200': `${started}`,
  'GET /task-results 200':
    '{items{task_id, task_name, qid, chip_id, status, execution_id, user_id, username, message, has_stack_trace, source_task_id, start_at~?, end_at~?, elapsed_time~?, ai_review_status}[], total, skip, limit, status_counts{*}}',
  'GET /task-results/qubits/latest 200': `{task_name, result{*${entry} or {name, status, default_view, over_threshold}}}`,
  'GET /task-results/qubits/history 200': `{task_name, result{*${entry} or {name, status, default_view, over_threshold}}}`,
  'GET /task-results/couplings/latest 200': `{task_name, result{*${entry} or {name, status, default_view, over_threshold}}}`,
  'GET /task-results/couplings/history 200': `{task_name, result{*${entry} or {name, status, default_view, over_threshold}}}`,
  'GET /task-results/qubits/{qid}/history 200': `{name, data{*${entry} or {name, status, default_view, over_threshold}}, total, skip, limit}`,
  'GET /task-results/couplings/{coupling_id}/history 200': `{name, data{*${entry} or {name, status, default_view, over_threshold}}, total, skip, limit}`,
  'GET /tasks/{task_id}/result 200': `{task_id, task_name, qid, chip_id, status, execution_id, flow_name, user_id, username, figure_path[], json_figure_path[], raw_data_path[], input_parameters{*${parameter}}, output_parameters{*${parameter}}, output_parameter_names[], run_parameters{*${runParameter}}, suggested_run_parameters{*${runParameter}}, check{outcome~, reason, values{*{value, tolerance, found~, error~, unit}}}~, quality_metrics{*}, note{*}, tags[], message, stack_trace, source_task_id, re_executions{task_id, task_name, qid, status, start_at~}[], start_at~, end_at~, elapsed_time~, ai_review_note${note}}`,
  'GET /task-results/timeseries 200': `{data{*${parameter}[]}}`,
  'POST /task-results/{task_id}/exclude 200':
    '{task_id, excluded, excluded_reason, excluded_by_user_id, excluded_by, excluded_at~}',
  'POST /task-results/{task_id}/re-execute 200': `${started}`,
  'GET /provenance/compare 200': `{execution_id_before, execution_id_after, added_parameters${change}[], removed_parameters${change}[], changed_parameters${change}[], unchanged_count}`,
  'GET /provenance/stats 200': `{total_entities, total_activities, total_relations, relation_counts{*}, recent_entities${version}[]}`,
  'GET /provenance/executions 200': '{executions{execution_id, valid_from}[]}',
  'GET /provenance/changes 200':
    '{changes{entity_id, parameter_name, chip_id, qid, value, previous_value~, delta~, delta_percent~, unit, error, previous_error~, version, valid_from, task_name, execution_id}[], total_count}',
  'GET /provenance/degradation-trends 200':
    '{trends{parameter_name, chip_id, qid, evaluation_mode, streak_count, total_delta, total_delta_percent~, delta_per_step, current_value, current_entity_id, unit, values[], valid_from}[], total_count}',
  'GET /provenance/entities/{entity_id} 200': `${version}`,
  'GET /provenance/history 200': `{parameter_name, qid, versions${version}[], total_versions}`,
  'GET /provenance/lineage/{entity_id} 200': `{origin${lineageNode}, nodes${lineageNode}[], edges{relation_type, source_id, target_id}[], max_depth, truncated}`,
  'GET /provenance/impact/{entity_id} 200': `{origin${lineageNode}, nodes${lineageNode}[], edges{relation_type, source_id, target_id}[], max_depth, truncated}`,
  'GET /provenance/recommendations/{entity_id} 200':
    '{source_entity_id, source_parameter_name, source_qid, recommended_tasks{task_name, priority, affected_parameters[], affected_qids[], reason}[], total_affected_parameters, max_depth_reached}',
  'GET /provenance/explain/{entity_id} 200': `{entity${version}, latest_version~, previous${version}~, gates{rule, passed, detail}[], activity${activity}~, task{task_id, task_name, task_type, qid, status, message, start_at~, end_at~, elapsed_time~, quality_metrics{*}, run_parameters{*${runParameter}}, figure_path[], json_figure_path[], raw_data_path[], source_task_id}~, execution{execution_id, name, status, backend, trigger, start_at, end_at~}~, inputs{name, parameter_name, value, unit, error~, source~, calibrated_at~, origin${version}~}[], cooldown{cooldown_id, cryo_id, description, started_at, ended_at~}~, notes{task${note}~, target${note}~, metric${note}~, comments${comment}[]}, reason~, who{user_id, username}~}`,
  'GET /tasks 200':
    '{tasks{name, description, backend, task_type, input_parameters{*{unit, value_type, value[], description}}, output_parameters{*{unit, value_type, value[], description}}, checked_outputs[]}[]}',
  'POST /tasks/{task_name}/execute 200': `${started}`,
  'GET /task-knowledge 200':
    '{items{name, category, summary, failure_mode_count, case_count, image_count, has_analysis_guide, has_review_guide}[], categories{*}}',
  'GET /tasks/{task_name}/knowledge 200':
    '{name, category, summary, what_it_measures, physical_principle, expected_result{description, result_type, x_axis, y_axis, z_axis, fit_model, typical_range, good_visual}, evaluation_criteria, check_questions[], failure_modes{severity, description, cause, visual, next_action}[], tips[], output_parameters_info{name, description}[], analysis_guide[], prerequisites[], images{alt_text, relative_path, section, base64_data}[], review_markdown, review_images{alt_text, relative_path, section, base64_data}[], cases{title, date, severity, chip_id, qid, status, human_label, failure_mode_labels[], case_type[], model_error_type, resolution_label, symptom, model_prediction, human_review_decision, root_cause, resolution, boundary_criteria, lesson_learned[], applicability, counterexample, prompt_guidance, images{alt_text, relative_path, section, base64_data}[]}[], prompt_text, review_prompt_text}',
  'GET /task-files/settings 200': '{default_backend, default_view_mode, sort_order}',
  'GET /config/all 200': `{ui{task_files{default_backend, default_view_mode, sort_order}}, metrics{qubit_metrics{*${metricInFile}}, coupling_metrics{*${metricInFile}}, color_scale{colors[]}, cdf_groups{qubit{id, title, unit, metrics[]}[], coupling{id, title, unit, metrics[]}[]}}, copilot{enabled, response_language, model${model}~, models${model}[], initial_message, suggestions{label, prompt}[], scoring{*{good}}, analysis{enabled, model${model}, models${model}[], max_expected_images, ai_review_tasks[], review_after_runs}}}`,
  'GET /task-files/backends 200': '{backends{name, path}[]}',
  'GET /task-files/backend-config 200':
    '{default_backend, backends{*{description, tasks[]}}, categories{*[]}}',
  'GET /task-files/tasks 200':
    '{tasks{name, class_name, task_type, description, file_path, category, enabled, input_parameters{*{*}}, run_parameters{*{*}}}[]}',
  'GET /task-files/tree 200': '{name, path, type, children{…}[]~}[]',
  'PUT /task-files/content 200': '{message, path}',
  'GET /task-files/content 200': '{content, path, name, size, modified}',
  'GET /backends 200':
    '{backends{name, username, workers{identity, since, seen_at, described_at~, software, version, at_once~, problem~, tasks{name, description, run_parameters{* or []}, declared, problem~}[]~, measuring{project_id~, execution_id~, what~, progress~, since}[]}[]}[]}',
  'GET /forum/categories 200': `{categories${category}[]}`,
  'POST /forum/categories 201': category,
  'PATCH /forum/categories/{category_key} 200': category,
  'DELETE /forum/categories/{category_key} 200': '{message}',
  'GET /forum/posts 200': `{posts${post}[], total, skip, limit}`,
  'POST /forum/posts 201': post,
  'GET /forum/posts/{post_id} 200': post,
  'PATCH /forum/posts/{post_id} 200': post,
  'DELETE /forum/posts/{post_id} 200': '{message}',
  'GET /forum/posts/{post_id}/replies 200': `${post}[]`,
  'PATCH /forum/posts/{post_id}/close 200': '{message}',
  'PATCH /forum/posts/{post_id}/reopen 200': '{message}',
  'POST /forum/upload-image 200': '{url}',
  'POST /issues/upload-image 200': '{url}',
  'GET /notifications 200': `{notifications${notification}[], total, unread_count, skip, limit}`,
  'GET /notifications/unread-count 200': '{unread_count}',
  'PATCH /notifications/{notification_id}/read 200': notification,
  'PATCH /notifications/read-all 200': '{updated}',
  'GET /issues 200': `{issues${issue}[], total, skip, limit}`,
  'GET /task-results/{task_id}/issues 200': `${issue}[]`,
  'POST /task-results/{task_id}/issues 201': issue,
  'GET /issues/{issue_id} 200': issue,
  'PATCH /issues/{issue_id} 200': issue,
  'DELETE /issues/{issue_id} 200': '{message}',
  'GET /issues/{issue_id}/replies 200': `${issue}[]`,
  'PATCH /issues/{issue_id}/close 200': '{message}',
  'PATCH /issues/{issue_id}/reopen 200': '{message}',
  'POST /issues/{issue_id}/extract-knowledge 201': knowledgeCase,
  'GET /issue-knowledge 200': `{items${knowledgeCase}[], total, skip, limit}`,
  'GET /issue-knowledge/{knowledge_id} 200': knowledgeCase,
  'PATCH /issue-knowledge/{knowledge_id} 200': knowledgeCase,
  'DELETE /issue-knowledge/{knowledge_id} 200': '{message}',
  'PATCH /issue-knowledge/{knowledge_id}/approve 200': knowledgeCase,
  'PATCH /issue-knowledge/{knowledge_id}/reject 200': knowledgeCase,
  'POST /issue-knowledge/{knowledge_id}/export 200': '{message}',
  'GET /copilot/chat/sessions 200':
    '{sessions{session_id, title, context{*}~, created_at, updated_at, message_count}[]}',
  'POST /copilot/chat/sessions 200': chatSession,
  'GET /copilot/chat/sessions/{session_id} 200': chatSession,
  'PATCH /copilot/chat/sessions/{session_id} 200': chatSession,
  'DELETE /copilot/chat/sessions/{session_id} 200': '{*}',
  'POST /copilot/chat/sessions/{session_id}/messages 200': chatSession,
};
