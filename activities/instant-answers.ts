import type { Chips } from '../shared/domain/chips/index.ts';
import type { ChipOfProject } from '../shared/domain/configuration/rules.ts';
import type {
  ChangesAnswer,
  ChangesCommand,
  ChecksAnswer,
  ChecksCommand,
  InstantAnswer,
  InstantCommand,
  MaintenanceAnswer,
  MaintenanceCommand,
  ValuesAnswer,
  ValuesCommand,
} from '../shared/domain/flows/model.ts';
import { pairScheduleAnswer, qubitScheduleAnswer } from '../shared/domain/flows/schedule-rules.ts';
import type { Maintenance } from '../shared/domain/maintenance/index.ts';
import type { HeldRun } from '../shared/domain/runs/run-model.ts';
import type { ExecutionId, ProjectId } from '../shared/kernel/ids.ts';
import { nearestName } from '../shared/kernel/near-names.ts';
import { SchedulingError, type Wiring } from '../shared/science/schedulers/model.ts';
import type { KnownTasks } from '../shared/tasks/known-tasks.ts';
import type { FlowContext } from './flow-isolate/isolate.ts';

/** If any qubit has this parameter, the direction of a pair follows the measured values, otherwise the design. */
const FREQUENCY_PARAMETER = 'qubit_frequency';

/** A command that cannot be answered. The message is for the flow's author. */
export class UnanswerableCommand extends Error {
  override readonly name = 'UnanswerableCommand';
}

export interface InstantAnswerDependencies {
  chips: Pick<Chips, 'topology' | 'targetParameters'>;
  maintenance: Pick<Maintenance, 'maintained' | 'changedBy' | 'checkedBy'>;
  /** The tasks that a project can run. */
  tasksOf(projectId: ProjectId): Promise<KnownTasks>;
  /** Wiring of a chip; null if there is no wiring file. @throws SchedulingError for an invalid file */
  wiring(chip: ChipOfProject, muxIds: readonly string[]): Promise<Wiring | null>;
}

/** Answers flow commands that do not need the workflow: schedules, values of calibration state, and whether they hold. */
export function createInstantAnswers({ chips, maintenance, wiring, tasksOf }: InstantAnswerDependencies) {
  async function numbersOf(run: HeldRun, kind: 'qubit' | 'coupling', parameter: string) {
    const found = await chips.targetParameters(kind, run.project_id, run.chip_id, parameter);
    return new Map(found.map(({ qid, stored }) => [qid, stored] as const));
  }

  async function scheduled(run: HeldRun, { muxes, couplings }: FlowContext) {
    const topology = await chips.topology(run.project_id, run.chip_id);
    return { couplings, muxes, topology, wiring: await wiring(run, Object.keys(muxes)) };
  }

  async function values(
    run: HeldRun,
    command: ValuesCommand,
    context: FlowContext,
    earlier: readonly ExecutionId[],
  ): Promise<ValuesAnswer> {
    const { kind, parameter, targets } = command;
    const { all: tasks } = await tasksOf(run.project_id);
    const known = tasks.flatMap((task) => [...Object.keys(task.outputs), ...Object.keys(task.inputs)]);
    if (!known.includes(parameter)) {
      const nearest = nearestName(parameter, known);
      const cure = nearest === undefined ? 'no task finds or needs it' : `did you mean "${nearest}"?`;
      throw new UnanswerableCommand(`there is no parameter "${parameter}"; ${cure}`);
    }
    const all = new Set([...context.qubits, ...context.couplings]);
    const unknown = targets.filter((target) => !all.has(target));
    if (unknown.length > 0) {
      throw new UnanswerableCommand(`chip ${run.chip_id} has no targets ${unknown.join(', ')}`);
    }
    const isQubit = new Set(context.qubits);
    const [qubits, couplings] = await Promise.all([
      targets.some((target) => isQubit.has(target)) ? numbersOf(run, 'qubit', parameter) : null,
      targets.some((target) => !isQubit.has(target)) ? numbersOf(run, 'coupling', parameter) : null,
    ]);
    const executions = [run.execution_id, ...earlier];
    const answer: ValuesAnswer = { kind, values: {}, this_run: [] };
    for (const target of targets) {
      const stored = (isQubit.has(target) ? qubits : couplings)?.get(target);
      answer.values[target] = typeof stored?.value === 'number' ? stored.value : null;
      if (stored?.execution_id && executions.includes(stored.execution_id)) answer.this_run.push(target);
    }
    return answer;
  }

  async function maintained({ project_id, chip_id }: HeldRun, command: MaintenanceCommand) {
    const { all } = await tasksOf(project_id);
    const known = all.map(({ name }) => name);
    const unknown = command.tasks.filter((name) => !known.includes(name));
    if (unknown.length > 0) {
      throw new UnanswerableCommand(`there are no tasks ${unknown.join(', ')}`);
    }
    const { tasks, notHolding } = await maintenance.maintained(project_id, chip_id, command);
    const answer: MaintenanceAnswer = {
      kind: 'maintenance',
      tasks: tasks.map(({ dependsOn, refinedBy, hasCheck, ...rest }): MaintenanceAnswer['tasks'][number] => ({
        ...rest,
        depends_on: dependsOn,
        refined_by: refinedBy,
        has_check: hasCheck,
      })),
      not_holding: notHolding.map(({ retryAt, isKnown, ...rest }) => ({
        ...rest,
        is_known: isKnown,
        retry_at: retryAt,
      })),
    };
    return answer;
  }

  async function changes(
    { project_id, chip_id }: HeldRun,
    { task, targets }: ChangesCommand,
  ): Promise<ChangesAnswer> {
    const changed = await maintenance.changedBy(project_id, chip_id, { task, targets });
    return { kind: 'changes', changed };
  }

  async function checks(
    { project_id, chip_id, execution_id }: HeldRun,
    { task, targets }: ChecksCommand,
    earlier: readonly ExecutionId[],
  ): Promise<ChecksAnswer> {
    const of = { task, targets, executions: [execution_id, ...earlier] };
    const ended = Object.entries(await maintenance.checkedBy(project_id, chip_id, of));
    return {
      kind: 'checks',
      outcomes: Object.fromEntries(ended.map(([target, { outcome }]) => [target, outcome])),
      reasons: Object.fromEntries(
        ended.flatMap(([target, { outcome, reason }]) =>
          outcome === 'in_specification' ? [] : [[target, reason] as const],
        ),
      ),
    };
  }

  /**
   * @param earlier executions that the run retries; their values count as its own
   * @throws UnanswerableCommand
   */
  return async (
    run: HeldRun,
    command: InstantCommand,
    context: FlowContext,
    earlier: readonly ExecutionId[],
  ): Promise<InstantAnswer> => {
    if (command.kind === 'values') return values(run, command, context, earlier);
    if (command.kind === 'maintenance') return maintained(run, command);
    if (command.kind === 'changes') return changes(run, command);
    if (command.kind === 'checks') return checks(run, command, earlier);
    try {
      const chip = await scheduled(run, context);
      if (command.kind === 'qubit_schedule') return qubitScheduleAnswer(command, chip);
      const measured = await numbersOf(run, 'qubit', FREQUENCY_PARAMETER);
      const frequencies = Object.fromEntries(
        [...measured].map(([qid, stored]) => [qid, typeof stored?.value === 'number' ? stored.value : null]),
      );
      return pairScheduleAnswer(command, chip, frequencies);
    } catch (thrown) {
      if (thrown instanceof SchedulingError) throw new UnanswerableCommand(thrown.message);
      throw thrown;
    }
  };
}
