import type { FlowCommandDocument, PlannedTask } from '../shared/domain/executions/model.ts';
import type { FlowCommand } from '../shared/domain/flows/model.ts';
import type { HeldRun } from '../shared/domain/runs/run-model.ts';
import { keyOf } from '../shared/kernel/ids.ts';
import type { TaskDefinition } from '../shared/tasks/model.ts';
import { runOptionProblems } from '../shared/tasks/run-options.ts';
import { resolveRunParameters } from '../shared/tasks/run-parameters.ts';

/** A new command of a run with its plan. */
export function newCommand(
  run: HeldRun,
  index: number,
  command: FlowCommand,
  tasks: PlannedTask[],
): FlowCommandDocument {
  const stage = command.kind === 'stage' ? command : null;
  return {
    _id: keyOf(run.project_id, run.execution_id, index),
    project_id: run.project_id,
    execution_id: run.execution_id,
    index,
    kind: command.kind,
    name: stage?.name ?? command.kind,
    command,
    tasks,
    targets: stage?.targets ?? [],
    parallel: stage?.parallel ?? null,
    ...(stage?.schedule ? { schedule: stage.schedule } : {}),
    status: 'planned',
    summary: null,
    answered_at: null,
    created_at: new Date(),
  };
}

/** A task with the catalog's texts and its run parameters from the given layers; later layers take precedence. */
export function planTask(
  definition: TaskDefinition,
  layers: readonly Readonly<Record<string, unknown>>[],
): { task: PlannedTask; problems: string[] } {
  const { parameters, problems } = resolveRunParameters(definition, layers);
  problems.push(...runOptionProblems(definition, parameters));
  const run_parameters = Object.fromEntries(
    Object.entries(parameters).map(([name, parameter]) => [
      name,
      { ...parameter, description: definition.runParameters[name]?.description ?? '' },
    ]),
  );
  return {
    task: {
      name: definition.name,
      ...(definition.declared && { declaration: definition.declared.hash }),
      scope: definition.scope,
      run_parameters,
      input_overrides: {},
    },
    problems,
  };
}
