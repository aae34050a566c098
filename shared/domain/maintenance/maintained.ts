import type { ProjectId } from '../../kernel/ids.ts';
import { hasCheck } from '../../tasks/checks.ts';
import { maintenanceGraph } from './graph-rules.ts';
import type { Judging, Target } from './known-targets.ts';
import {
  dependencesIn,
  laterTasks,
  type NotHolding,
  notHolding,
  refinementsIn,
  type TaskDependence,
  type TaskRefinement,
} from './maintain-nodes-rules.ts';
import { kindWritten } from './order-rules.ts';
import { createJudge, hasChanged } from './state-rules.ts';

/** What a maintenance knows before it measures. */
export interface MaintainedTasks {
  /** In the order of calibration. */
  tasks: {
    name: string;
    type: 'qubit' | 'coupling';
    dependsOn: TaskDependence[];
    refinedBy: TaskRefinement[];
    hasCheck: boolean;
    /** Names of the values that it finds. */
    finds: string[];
  }[];
  /** All others hold. */
  notHolding: NotHolding[];
}

/** Judges tasks of targets for a maintenance. */
export function createMaintained({ chips, knownParts, graphOf, settings, now }: Judging) {
  async function graphOfTasks(projectId: ProjectId, names: readonly string[]) {
    const { index } = await graphOf(projectId);
    const definitions = names.flatMap((name) => index.tasks.get(name)?.entry.task ?? []);
    return { index, graph: maintenanceGraph(definitions) };
  }

  return {
    /** Which of these tasks hold on which of these targets, and what depends on what among them. @throws not_found */
    async maintained(
      projectId: ProjectId,
      chipId: string,
      { targets, tasks: names }: { targets: readonly string[]; tasks: readonly string[] },
    ): Promise<MaintainedTasks> {
      const chip = await chips.mustGet(projectId, chipId);
      const [{ index, graph }, current] = await Promise.all([graphOfTasks(projectId, names), settings()]);
      const couplings = new Set(await chips.allCouplingIds(projectId, chipId));
      const dependences = dependencesIn(graph);
      const refinements = refinementsIn(graph);
      const later = laterTasks(graph.tasks);
      const found: NotHolding[] = [];
      const read = targets.map(
        (qid): Target => ({
          kind: couplings.has(qid) ? 'coupling' : 'qubit',
          qid,
          parameters: [],
        }),
      );
      for await (const { some, known } of knownParts(chip, read, current)) {
        const judge = createJudge({ graph: index, known, settings: current, now: now() });
        for (const { kind, qid } of some) {
          const failures = known.failures.get(qid) ?? [];
          for (const { task } of graph.tasks) {
            if (kindWritten(task) !== kind) continue;
            const context = { judge, failures, later: later.get(task.name) ?? new Set<string>() };
            const wrong = notHolding(task, qid, context);
            if (wrong) found.push(wrong);
          }
        }
      }
      return {
        tasks: graph.tasks.map(({ task: { name, taskType, outputs } }) => ({
          name,
          type: taskType === 'coupling' ? 'coupling' : 'qubit',
          dependsOn: dependences.get(name) ?? [],
          refinedBy: refinements.get(name) ?? [],
          hasCheck: hasCheck(name),
          finds: Object.keys(outputs),
        })),
        notHolding: found,
      };
    },

    /** The targets on which a task last found another value than before, by more than the errors of both. @throws not_found */
    async changedBy(
      projectId: ProjectId,
      chipId: string,
      { targets, task: name }: { targets: readonly string[]; task: string },
    ): Promise<string[]> {
      const chip = await chips.mustGet(projectId, chipId);
      const [{ index }, current] = await Promise.all([graphOf(projectId), settings()]);
      const task = index.tasks.get(name)?.entry.task;
      if (!task) return [];
      const [kind, parameters] = [kindWritten(task), Object.keys(task.outputs)];
      const read = targets.map((qid): Target => ({ kind, qid, parameters }));
      const changed: string[] = [];
      for await (const { some, known } of knownParts(chip, read, current)) {
        const context = { graph: index, known, settings: current };
        const moved = ({ qid }: Target) =>
          parameters.some((parameter) => hasChanged({ kind, qid, parameter }, context));
        changed.push(...some.filter(moved).map(({ qid }) => qid));
      }
      return changed;
    },
  };
}
