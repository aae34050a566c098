import { BSON } from 'mongodb';
import type { FlowCommandDocument, PlannedTask } from '../shared/domain/executions/model.ts';
import type { StageCommand } from '../shared/domain/flows/model.ts';
import { FLOW_LIMITS } from '../shared/domain/flows/rules.ts';
import { hasCheck, noCheckForm } from '../shared/tasks/checks.ts';
import { inputOffsetProblems, offsetsOfTasks } from '../shared/tasks/input-offsets.ts';
import type { KnownTasks } from '../shared/tasks/known-tasks.ts';
import {
  backendProblem,
  flowDefaultProblems,
  misspelledRunParameters,
  noSuchTask,
  stageParameterProblems,
  targetProblem,
} from '../shared/tasks/run-options.ts';
import { flowDefaults } from '../shared/tasks/run-parameters.ts';
import type { FlowState } from './flow-state.ts';
import { planTask } from './planning.ts';

/** Maximum number of unknown tasks named in one message. */
const UNKNOWN_TASKS_NAMED = 5;

type CheckTolerances = NonNullable<PlannedTask['check']>['tolerances'];

/**
 * Validates a stage and resolves its run parameters. Reports all problems at once, or only the unknown tasks if any.
 * @param tolerances of checks, by parameter, in place of those that the tasks declare
 */
export function planTasks(
  command: StageCommand,
  { run, request, context }: FlowState,
  known: KnownTasks,
  tolerances: CheckTolerances = {},
): { tasks: PlannedTask[]; problems: string[] } {
  const findTask = (name: string) => known.find(name, run.backend);
  const unknown = new Set(command.tasks.map(({ name }) => name).filter((name) => !findTask(name)));
  if (unknown.size > 0) {
    const problems = [...unknown]
      .slice(0, UNKNOWN_TASKS_NAMED)
      .map((name) => noSuchTask(name, known.names()));
    return { tasks: [], problems };
  }
  const problems = flowDefaultProblems(request.default_run_parameters, known.all);
  const definitions = command.tasks.flatMap(({ name }) => findTask(name) ?? []);
  problems.push(...stageParameterProblems(definitions, command.run_parameters ?? {}));
  const offsets = command.input_offsets ?? {};
  problems.push(...inputOffsetProblems(definitions, offsets));
  const offsetsOf = offsetsOfTasks(definitions, offsets);
  const plan = ({ name, run_parameters = {}, check }: StageCommand['tasks'][number]) => {
    const definition = findTask(name);
    if (!definition) return null;
    const notMeasurable =
      backendProblem(definition, run) ?? targetProblem(definition, command.targets, context);
    if (notMeasurable !== null) problems.push(notMeasurable);
    if (check && !hasCheck(name)) problems.push(noCheckForm(name));
    problems.push(...misspelledRunParameters(definition, run_parameters));
    const planned = planTask(definition, [
      flowDefaults(definition, request.default_run_parameters),
      // Like the defaults for all tasks, these apply only to tasks that have such a parameter.
      flowDefaults(definition, command.run_parameters ?? {}),
      run_parameters,
    ]);
    problems.push(...planned.problems);
    return check ? { ...planned.task, persist: false, check: { tolerances } } : planned.task;
  };
  // A task that occurs repeatedly in the list is planned only once, and its problems are reported once.
  const plans = new Map<string, PlannedTask | null>();
  const tasks = command.tasks.flatMap((task, position): PlannedTask[] => {
    const key = JSON.stringify(task);
    const planned = plans.get(key) ?? plan(task);
    plans.set(key, planned);
    const ownOffsets = command.input_offsets && { input_offsets: offsetsOf[position] };
    const repeats = command.repeat_refused && { repeat_refused: true as const };
    return planned ? [{ ...planned, ...ownOffsets, ...repeats }] : [];
  });
  return { tasks, problems: [...new Set(problems)] };
}

/** Why a plan cannot be stored; null if it can. */
export function planProblem(document: FlowCommandDocument): string | null {
  const bytes = BSON.calculateObjectSize(document, { ignoreUndefined: true });
  if (bytes <= FLOW_LIMITS.planBytes) return null;
  const [size, limit] = [bytes, FLOW_LIMITS.planBytes].map((each) => Math.ceil(each / 1024 / 1024));
  return `its plan of ${document.tasks.length} tasks takes ${size} MiB, and a stage's plan at most ${limit} MiB; divide it into several stages.`;
}
