import type { CollectionIndexes, Db } from '../../kernel/database.ts';
import { createResultChanges } from './changes.ts';
import { createExclusions } from './exclusions.ts';
import { createLatestResults } from './latest-results.ts';
import { createMetricRows } from './metric-rows.ts';
import type { TaskResultDocument } from './model.ts';
import { createOutputHistory } from './output-history.ts';
import { createResultFiles } from './result-files.ts';
import { createResultLists } from './result-lists.ts';
import { createReviewState } from './review-state.ts';
import { createTargetChecks } from './target-checks.ts';
import { createTaskLife } from './task-life.ts';
import { createTasksOfExecution } from './tasks-of-execution.ts';
import { createUserNotes } from './user-notes.ts';

const COLLECTION = 'task_results';

export const taskResultIndexes: CollectionIndexes = {
  collection: COLLECTION,
  indexes: [
    { name: 'by_task', key: { project_id: 1, task_id: 1 }, unique: true },
    { name: 'by_execution', key: { project_id: 1, execution_id: 1, start_at: 1, task_id: 1 } },
    { name: 'by_stage', key: { project_id: 1, execution_id: 1, stage: 1, qid: 1, index: 1 } },
    {
      name: 'by_target_of_execution',
      key: { project_id: 1, execution_id: 1, qid: 1, stage: -1, index: -1 },
    },
    { name: 'by_status_of_execution', key: { project_id: 1, execution_id: 1, status: 1 } },
    { name: 'by_closing', key: { project_id: 1, execution_id: 1, closed_at: 1, task_id: 1 } },
    { name: 'by_start', key: { project_id: 1, start_at: -1, task_id: 1 } },
    { name: 'by_chip', key: { project_id: 1, chip_id: 1, start_at: -1, task_id: 1 } },
    {
      name: 'by_task_of_chip',
      key: { project_id: 1, chip_id: 1, name: 1, qid: 1, start_at: -1, task_id: -1 },
    },
    // Lists sort equal starts by ascending id; the newest result of a target is found by descending id.
    {
      name: 'by_target_of_task',
      key: { project_id: 1, chip_id: 1, name: 1, qid: 1, start_at: -1, task_id: 1 },
    },
    { name: 'by_start_of_task', key: { project_id: 1, chip_id: 1, name: 1, start_at: -1, task_id: -1 } },
    { name: 'by_task_name', key: { project_id: 1, name: 1, start_at: -1, task_id: 1 } },
    { name: 'by_target', key: { project_id: 1, chip_id: 1, qid: 1, start_at: -1, task_id: 1 } },
    { name: 'by_status', key: { project_id: 1, status: 1, start_at: -1, task_id: 1 } },
    { name: 'by_user', key: { project_id: 1, username: 1, start_at: -1, task_id: 1 } },
    // Covers the counts per status beside a list, which may include millions of results.
    { name: 'statuses_of_chip', key: { project_id: 1, chip_id: 1, status: 1, name: 1, qid: 1 } },
    { name: 'statuses_of_target', key: { project_id: 1, chip_id: 1, qid: 1, status: 1 } },
    { name: 'statuses_of_task_name', key: { project_id: 1, name: 1, status: 1 } },
    { name: 'statuses_of_user', key: { project_id: 1, username: 1, status: 1 } },
    {
      name: 'by_output',
      key: { project_id: 1, chip_id: 1, output_parameter_names: 1, start_at: 1, task_id: 1 },
    },
    {
      name: 'by_output_of_target',
      key: { project_id: 1, chip_id: 1, output_parameter_names: 1, qid: 1, start_at: -1, task_id: -1 },
    },
    {
      name: 'by_closing_with_output',
      key: { project_id: 1, chip_id: 1, output_parameter_names: 1, closed_at: 1, task_id: 1 },
    },
    { name: 'by_exclusion', key: { project_id: 1, chip_id: 1, excluded: 1, start_at: -1, task_id: 1 } },
    {
      name: 'by_user_note',
      key: { project_id: 1, chip_id: 1, 'user_note.updated_at': -1, task_id: 1 },
      // Few results have a note; the others take no space in the index.
      partialFilterExpression: { 'user_note.updated_at': { $exists: true } },
    },
    {
      name: 'by_judgement',
      key: { project_id: 1, excluded_at: -1, task_id: 1 },
      partialFilterExpression: { excluded_at: { $exists: true } },
    },
    {
      name: 'by_holding_back',
      key: { project_id: 1, chip_id: 1, 'ai_review.held_back': 1 },
      partialFilterExpression: { 'ai_review.held_back': { $exists: true } },
    },
    {
      name: 'by_review_note',
      key: { project_id: 1, chip_id: 1, 'ai_review_note.updated_at': -1, task_id: 1 },
      partialFilterExpression: { 'ai_review_note.updated_at': { $exists: true } },
    },
    // Answer whether results have changed without reading them.
    {
      name: 'by_change_of_execution',
      key: { project_id: 1, execution_id: 1, changed_at: -1, revision: 1 },
    },
    { name: 'by_change', key: { project_id: 1, chip_id: 1, changed_at: -1, revision: 1 } },
    { name: 'by_change_of_task', key: { project_id: 1, chip_id: 1, name: 1, changed_at: -1, revision: 1 } },
    { name: 'by_cooldown', key: { project_id: 1, cooldown_id: 1 } },
    { name: 'by_source', key: { project_id: 1, source_task_id: 1, start_at: 1, task_id: 1 } },
  ],
};

export type TaskResultStore = ReturnType<typeof createTaskResultStore>;

/** Task results: one document per task occurrence, keyed by project and task id. */
export function createTaskResultStore(db: Db) {
  const tasks = db.collection<TaskResultDocument>(COLLECTION);
  return {
    ...createTaskLife(tasks),
    ...createTasksOfExecution(tasks),
    ...createResultLists(tasks),
    ...createLatestResults(tasks),
    ...createTargetChecks(tasks),
    ...createOutputHistory(tasks),
    ...createMetricRows(tasks),
    ...createExclusions(tasks),
    ...createUserNotes(tasks),
    ...createReviewState(tasks),
    ...createResultChanges(tasks),
    ...createResultFiles(tasks),
  };
}
