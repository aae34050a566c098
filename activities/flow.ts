import { ApplicationFailure } from '@temporalio/common';
import type { CalibrationRecords } from '../shared/assembly.ts';
import { failureTypes } from '../shared/engine/failure-types.ts';
import type { ExecutionRequest, FlowStepDocument, PlannedTask } from '../shared/executions/model.ts';
import type { HeldRun } from '../shared/executions/run.ts';
import { stageAnswer } from '../shared/flows/answers.ts';
import { type FlowCommand, type FlowEntry, flowCommand, type StageCommand } from '../shared/flows/model.ts';
import { keyOf } from '../shared/ids.ts';
import { taskNames } from '../shared/tasks/catalog.ts';
import type { TaskDefinition } from '../shared/tasks/model.ts';
import {
  flowDefaultProblems,
  noSuchTask,
  runOptionProblems,
  targetProblem,
} from '../shared/tasks/run-options.ts';
import { flowDefaults, resolveRunParameters } from '../shared/tasks/run-parameters.ts';
import type { CalibrationActivities } from './contract.ts';
import { flowMessage } from './flow-isolate/flow-error.ts';
import { type FlowContext, FlowError, type FlowIsolates, type TimedAnswer } from './flow-isolate/isolate.ts';

/** More tasks than one run may hold (design 3, size). */
const RUN_TASK_LIMIT = 20_000;

export interface FlowActivityDependencies {
  records: CalibrationRecords;
  isolates: FlowIsolates;
  flows: {
    version(
      projectId: string,
      name: string,
      hash: string,
    ): Promise<{ javascript: string; function_name: string } | null>;
  };
  chips: {
    allQubitIds(projectId: string, chipId: string): Promise<string[]>;
    allCouplingIds(projectId: string, chipId: string): Promise<string[]>;
  };
  findTask(name: string): TaskDefinition | undefined;
}

function flowFailure(message: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(message, failureTypes.flow);
}

/** Activities that ask a flow for its next command and plan what it asks for. */
export function createFlowActivities(
  dependencies: FlowActivityDependencies,
): Pick<CalibrationActivities, 'advanceFlow' | 'planSingleTask'> {
  const { records, isolates, flows, chips, findTask } = dependencies;
  const { steps, executions, locks } = records;

  async function chipOf({ project_id, chip_id }: HeldRun) {
    const [qubits, couplings] = await Promise.all([
      chips.allQubitIds(project_id, chip_id),
      chips.allCouplingIds(project_id, chip_id),
    ]);
    return { chip_id, qubits, couplings };
  }

  /** What a flow may know of its chip: qubits, muxes of four consecutive qubits, couplings. */
  async function contextOf(run: HeldRun, request: ExecutionRequest): Promise<FlowContext> {
    const chip = await chipOf(run);
    const muxes: Record<string, string[]> = {};
    for (const qid of chip.qubits) {
      const mux = String(Math.trunc(Number(qid) / 4));
      muxes[mux] = [...(muxes[mux] ?? []), qid];
    }
    return { ...chip, parameters: request.parameters, muxes };
  }

  function answerOf(step: FlowStepDocument): TimedAnswer {
    const at = step.answered_at?.getTime() ?? 0;
    if (step.kind === 'sleep' || !step.summary) return { at, answer: { kind: 'sleep' } };
    const { counts, passed, failed } = step.summary;
    const status = step.status === 'cancelled' ? 'cancelled' : passed.length > 0 ? 'completed' : 'failed';
    return { at, answer: stageAnswer({ name: step.name, status, counts, passed, failed }) };
  }

  /** Checks a stage and resolves its run parameters. All problems at once. */
  function planTasks(
    command: StageCommand,
    request: ExecutionRequest,
    chip: Pick<FlowContext, 'chip_id' | 'qubits' | 'couplings'>,
  ): { tasks: PlannedTask[]; problems: string[] } {
    const problems = flowDefaultProblems(request.default_run_parameters, taskNames());
    const tasks = command.tasks.map((task): PlannedTask => {
      const definition = findTask(task.name);
      if (!definition) {
        problems.push(noSuchTask(task.name, taskNames()));
        return { name: task.name, scope: 'target', run_parameters: {}, input_overrides: {} };
      }
      const notMeasurable = targetProblem(definition, command.targets, chip);
      if (notMeasurable !== null) problems.push(notMeasurable);
      const planned = planTask(definition, [
        flowDefaults(definition, request.default_run_parameters),
        task.run_parameters ?? {},
      ]);
      problems.push(...planned.problems);
      return planned.task;
    });
    // A task that stands twice in the list has its problems once.
    return { tasks, problems: [...new Set(problems)] };
  }

  async function store(run: HeldRun, entries: readonly FlowEntry[]): Promise<void> {
    await steps.addEntries(
      entries.map((entry) => ({
        _id: keyOf(run.project_id, run.execution_id, entry.index),
        project_id: run.project_id,
        execution_id: run.execution_id,
        index: entry.index,
        kind: entry.kind,
        text: entry.kind === 'log' ? entry.message : entry.name,
        value: entry.kind === 'record' ? entry.value : null,
        created_at: new Date(),
      })),
    );
  }

  function newStep(
    run: HeldRun,
    index: number,
    command: FlowCommand,
    tasks: PlannedTask[],
  ): FlowStepDocument {
    const stage = command.kind === 'stage' ? command : null;
    return {
      _id: keyOf(run.project_id, run.execution_id, index),
      project_id: run.project_id,
      execution_id: run.execution_id,
      index,
      kind: command.kind,
      name: stage?.name ?? 'sleep',
      command,
      tasks,
      targets: stage?.targets ?? [],
      parallel: stage?.parallel ?? null,
      status: 'planned',
      summary: null,
      answered_at: null,
      created_at: new Date(),
    };
  }

  return {
    /**
     * The flow's next command after the one numbered `done`, stored with its plan before it is carried out.
     * Safe to run twice: the flow asks for the same again, and what is stored stays.
     * @throws FlowError naming the flow and its line.
     */
    async advanceFlow({ run, done }) {
      const request = await executions.request(run.project_id, run.execution_id);
      const execution = await executions.get(run.project_id, run.execution_id);
      if (!request?.flow || !execution) throw flowFailure('The run has no flow.');
      const version = await flows.version(run.project_id, request.flow.name, request.flow.hash);
      if (!version) throw flowFailure(`The stored code of flow ${request.flow.name} is gone.`);
      if (done >= 0) {
        // A stage was answered by its own end; what remains are waits that are over now.
        await steps.answer(run.project_id, run.execution_id, done, {
          status: 'done',
          summary: null,
          at: new Date(),
        });
      }
      const carriedOut = (await steps.ofExecution(run.project_id, run.execution_id)).filter(
        (step) => step.index <= done,
      );
      const key = keyOf(run.project_id, run.execution_id);
      const context = await contextOf(run, request);
      try {
        const advance = await isolates.advance(
          key,
          {
            javascript: version.javascript,
            functionName: request.flow.function_name,
            flowName: request.flow.name,
          },
          { randomSeed: key, startedAt: execution.start_at.getTime() },
          context,
          carriedOut.map((step) => flowCommand.parse(step.command)),
          carriedOut.map(answerOf),
        );
        await store(run, advance.entries);
        if (advance.kind === 'end') {
          isolates.drop(key);
          return { kind: 'end' };
        }
        const { index, command } = advance;
        if (command.kind === 'sleep') {
          await steps.plan(newStep(run, index, command, []));
          return { kind: 'sleep', index, seconds: command.seconds };
        }
        const planned = planTasks(command, request, context);
        const before = carriedOut.reduce((sum, step) => sum + step.tasks.length * step.targets.length, 0);
        const total = before + planned.tasks.length * command.targets.length;
        if (total > RUN_TASK_LIMIT) {
          planned.problems.push(
            `a run holds at most ${RUN_TASK_LIMIT} tasks, this stage would make it ${total}`,
          );
        }
        if (planned.problems.length > 0) {
          const where = flowMessage(request.flow.name, advance.line, `stage "${command.name}" cannot run`);
          throw flowFailure(`${where}: ${planned.problems.join(' ')}`);
        }
        await steps.plan(newStep(run, index, command, planned.tasks));
        await locks.noteStage(run.project_id, run.epoch, index + 1);
        return {
          kind: 'stage',
          index,
          name: command.name,
          targets: command.targets.length,
          tasks: planned.tasks.length,
          parallel: command.parallel ?? null,
        };
      } catch (thrown) {
        if (!(thrown instanceof FlowError)) throw thrown;
        await store(run, thrown.entries);
        throw flowFailure(thrown.message);
      }
    },

    /** Plans the one stage of a single task. */
    async planSingleTask({ run }) {
      const request = await executions.request(run.project_id, run.execution_id);
      if (!request?.task) throw flowFailure('The run has no task.');
      const definition = findTask(request.task.name);
      if (!definition) throw flowFailure(noSuchTask(request.task.name, taskNames()));
      const { task, problems } = planTask(definition, [request.task.run_overrides]);
      const notMeasurable = targetProblem(definition, [request.task.qid], await chipOf(run));
      if (notMeasurable !== null) problems.unshift(notMeasurable);
      if (problems.length > 0) throw flowFailure(problems.join(' '));
      const command: FlowCommand = {
        kind: 'stage',
        name: definition.name,
        tasks: [{ name: definition.name }],
        targets: [request.task.qid],
      };
      const planned = [{ ...task, input_overrides: request.task.input_overrides }];
      await steps.plan(newStep(run, 0, command, planned));
      return { target: request.task.qid, tasks: planned.length };
    },
  };
}

/** Run parameters of a task with the texts of the catalog. */
function planTask(
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
    task: { name: definition.name, scope: definition.scope, run_parameters, input_overrides: {} },
    problems,
  };
}
