import { CalibronError } from '../../kernel/errors.ts';
import type { KernelSettings } from '../../kernel/settings.ts';
import { isoTime, isoTimeOrNull } from '../../kernel/time.ts';
import { findTask } from '../../tasks/catalog.ts';
import type { Calibrations } from '../calibrations/index.ts';
import type { Chips } from '../chips/index.ts';
import type { Cooldowns } from '../cooldowns/index.ts';
import { listedCooldownOf } from '../cooldowns/wire.ts';
import type { Executions } from '../executions/index.ts';
import type { ExecutionDocument } from '../executions/model.ts';
import type { Notes } from '../notes/index.ts';
import type { ProvenanceStore } from '../provenance/index.ts';
import type { Lineage, ParameterVersion } from '../provenance/model.ts';
import { targetOfQid } from '../provenance/rules.ts';
import { gateResults } from '../results/gate-rules.ts';
import type { TaskResultStore } from '../results/index.ts';
import type { TaskResultDocument } from '../results/model.ts';
import { executionTaskOf } from '../results/wire.ts';
import type { Explanation } from './model.ts';
import { explainedInputs, versionsAsInputs } from './rules.ts';

/** Graph distance that covers versions, their activity and what it used. */
const DEPTH = 2;

/** Sources of the parts of an explanation. */
export interface Explaining {
  provenance: Pick<ProvenanceStore, 'lineage' | 'agent'>;
  results: Pick<TaskResultStore, 'get'>;
  executions: Pick<Executions, 'store'>;
  chips: Pick<Chips, 'get'>;
  cooldowns: Pick<Cooldowns, 'find'>;
  notes: Pick<Notes, 'summary'>;
  calibrations: { edits: Pick<Calibrations['edits'], 'reasonOf'> };
  settings: Pick<KernelSettings, 'CALIB_DATA_PATH'>;
}

/** Collects everything recorded about one value. */
export function createExplanations(needs: Explaining) {
  const { provenance, results, executions, chips, cooldowns, notes, calibrations } = needs;
  const { CALIB_DATA_PATH: root } = needs.settings;

  /** Notes of people about the value: on its task, on its target and on the metric, in its cool-down. */
  async function notesOf(
    projectId: string,
    entity: ParameterVersion,
    task: TaskResultDocument | null,
    cooldownId: string | null,
  ): Promise<Explanation['notes']> {
    const ofTask = task?.user_note?.updated_at ? task.user_note : null;
    const chip = await chips.get(projectId, entity.chip_id);
    if (!chip) return { task: ofTask, target: null, metric: null, comments: [] };
    // For the current cool-down, notes that do not name a cool-down are included as well.
    const isCurrent = cooldownId === null || cooldownId === chip.current_cooldown_id;
    const summary = await notes.summary(
      { projectId, chipId: entity.chip_id },
      isCurrent ? {} : { cooldown_id: cooldownId },
    );
    const targetId = targetOfQid(entity.qid);
    const about = [...summary.qubits, ...summary.couplings].find(({ target_id }) => target_id === targetId);
    return {
      task: ofTask,
      target: about && about.note.updated_at !== null ? about.note : null,
      metric: about?.metric_notes[entity.parameter_name] ?? null,
      comments: about?.comments ?? [],
    };
  }

  return {
    /** @throws not_found */
    async explain(projectId: string, entityId: string): Promise<Explanation> {
      const lineage = await provenance.lineage(projectId, entityId, DEPTH);
      const entity = lineage?.origin.entity;
      if (!lineage || !entity) {
        throw new CalibronError('not_found', 'There is no such parameter version in this project.');
      }
      const [task, execution] = await Promise.all([
        results.get(projectId, entity.task_id),
        executions.store.get(projectId, entity.execution_id),
      ]);
      const found = task?.cooldown_id ? await cooldowns.find(projectId, task.cooldown_id) : null;
      const cooldown = found && listedCooldownOf(found);
      const definition = findTask(entity.task_name);
      const r2 = task?.quality_metrics['r2'] ?? null;
      const { previous, activity, used } = neighboursOf(lineage);
      return {
        entity,
        latest_version: lineage.origin.latest_version,
        previous,
        gates:
          task?.gates?.[entity.parameter_name] ??
          (task && definition ? gateResults(entity, definition, r2) : []),
        activity,
        task: task && shownTask(root, task),
        execution: execution && shownExecution(execution),
        inputs: task ? explainedInputs(task, used) : versionsAsInputs(used),
        cooldown: cooldown && {
          cooldown_id: cooldown.cooldown_id,
          cryo_id: cooldown.cryo_id,
          description: cooldown.description,
          started_at: cooldown.started_at,
          ended_at: cooldown.ended_at,
        },
        notes: await notesOf(projectId, entity, task, cooldown?.cooldown_id ?? null),
        reason: task ? null : await calibrations.edits.reasonOf(projectId, entity.execution_id),
        who: task
          ? { user_id: task.user_id, username: task.username }
          : activity && (await provenance.agent(projectId, activity.activity_id)),
      };
    },
  };
}

/** The neighbours of a version: the version it replaced, the activity that made it, and what that used. */
function neighboursOf({ origin, nodes, edges }: Lineage) {
  const nodeById = new Map(nodes.map((node) => [node.node_id, node]));
  const ends = (type: Lineage['edges'][number]['relation_type'], source: string | undefined) =>
    edges
      .filter(({ relation_type, source_id }) => relation_type === type && source_id === source)
      .flatMap(({ target_id }) => nodeById.get(target_id) ?? []);
  const [derived] = ends('wasDerivedFrom', origin.node_id);
  const [made] = ends('wasGeneratedBy', origin.node_id);
  return {
    previous: derived?.entity ?? null,
    activity: made?.activity ?? null,
    used: ends('used', made?.node_id).flatMap(({ entity }) => entity ?? []),
  };
}

function shownTask(root: string, task: TaskResultDocument): NonNullable<Explanation['task']> {
  const { task_id, name, task_type, qid, status, message, run_parameters, ...shown } = executionTaskOf(
    root,
    task,
  );
  return {
    task_id,
    task_name: name,
    task_type,
    qid,
    status,
    message,
    start_at: shown.start_at,
    end_at: shown.end_at,
    elapsed_time: shown.elapsed_time,
    quality_metrics: task.quality_metrics,
    run_parameters,
    figure_path: shown.figure_path,
    json_figure_path: shown.json_figure_path,
    raw_data_path: shown.raw_data_path,
    source_task_id: task.source_task_id,
  };
}

function shownExecution(execution: ExecutionDocument): NonNullable<Explanation['execution']> {
  const { execution_id, name, status, backend, trigger, start_at, end_at } = execution;
  return {
    execution_id,
    name,
    status,
    backend,
    trigger,
    start_at: isoTime(start_at),
    end_at: isoTimeOrNull(end_at),
  };
}
