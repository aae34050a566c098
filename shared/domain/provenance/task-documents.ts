import { type ExecutionId, keyOf, type ProjectId, type TaskId } from '../../kernel/ids.ts';
import type { HeadDocument } from './collections.ts';
import type { Agent, EntityDocument, RelationDocument } from './model.ts';
import { activityId, entityId, provenanceQid, relationKey } from './rules.ts';

/** A value that became calibration state. */
export interface OutputValue {
  parameter_name: string;
  value: number | string;
  value_type: string;
  unit: string;
  error: number | null;
}

/** A finished task, its outputs, and the versions of its inputs as they were when it started. */
export interface EndedTask {
  project_id: ProjectId;
  chip_id: string;
  execution_id: ExecutionId;
  task_id: TaskId;
  task_name: string;
  task_type: string;
  qid: string;
  status: string;
  started_at: Date | null;
  ended_at: Date;
  outputs: readonly OutputValue[];
  used_entities: readonly string[];
  /** The task of the same target that was added before this one, if known. */
  after?: string;
  /** The user who ran the task or entered the values. */
  agent?: Agent;
}

/** A version of a task, and the previous version; null for the first of its parameter. */
export interface NewVersion {
  document: EntityDocument;
  previous: string | null;
}

/** Key of the document that holds the newest versions of a task's target. */
export function headKeyOf({ project_id, chip_id, qid }: EndedTask): string {
  return keyOf(project_id, chip_id, qid);
}

/** @param current the previous version; the next one never starts before it, whichever task was written first */
export function nextVersion(
  task: EndedTask,
  output: OutputValue,
  current: HeadDocument['parameters'][string] | undefined,
): EntityDocument {
  const from = current?.valid_from;
  const entity_id = entityId(output.parameter_name, task.qid, task.execution_id, task.task_id);
  return {
    _id: keyOf(task.project_id, entity_id),
    entity_id,
    ...output,
    qid: provenanceQid(task.qid),
    version: (current?.version ?? 0) + 1,
    valid_from: from && from > task.ended_at ? from : task.ended_at,
    valid_until: null,
    previous: current?.entity_id ?? null,
    execution_id: task.execution_id,
    task_id: task.task_id,
    task_name: task.task_name,
    project_id: task.project_id,
    chip_id: task.chip_id,
  };
}

/** Relations of a task to its inputs and versions, and of the versions to their predecessors. */
export function relationsOf(task: EndedTask, versions: readonly NewVersion[]): RelationDocument[] {
  const { project_id } = task;
  const activity = activityOf(task);
  const edges = [
    ...task.used_entities.map((used) => ({
      relation_type: 'used' as const,
      source_id: activity,
      source_type: 'activity' as const,
      target_id: used,
      target_type: 'entity' as const,
    })),
    ...versions.flatMap(({ document, previous }) => [
      {
        relation_type: 'wasGeneratedBy' as const,
        source_id: document.entity_id,
        source_type: 'entity' as const,
        target_id: activity,
        target_type: 'activity' as const,
      },
      ...(previous === null
        ? []
        : [
            {
              relation_type: 'wasDerivedFrom' as const,
              source_id: document.entity_id,
              source_type: 'entity' as const,
              target_id: previous,
              target_type: 'entity' as const,
            },
          ]),
    ]),
  ];
  return edges.map((edge) => ({ _id: keyOf(project_id, relationKey(edge)), project_id, ...edge }));
}

function activityOf({ task_name, execution_id, task_id }: EndedTask): string {
  return activityId(task_name, execution_id, task_id);
}

/** The update that stores a task's activity. */
export function activityUpdate(task: EndedTask) {
  const activity = activityOf(task);
  const described = {
    project_id: task.project_id,
    activity_id: activity,
    execution_id: task.execution_id,
    task_id: task.task_id,
    task_name: task.task_name,
    task_type: task.task_type,
    qid: provenanceQid(task.qid),
    started_at: task.started_at,
    ended_at: task.ended_at,
    status: task.status,
    chip_id: task.chip_id,
    agent: task.agent ?? null,
    used: task.used_entities,
  };
  return { filter: { _id: keyOf(task.project_id, activity) }, update: { $set: described }, upsert: true };
}

/** The last version of each parameter. */
export function newestOf(versions: readonly EntityDocument[]): EntityDocument[] {
  return [...new Map(versions.map((version) => [version.parameter_name, version])).values()];
}
