import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { Areas } from '../shared/domain/areas.ts';
import type { PinnedChip } from '../shared/domain/executions/index.ts';
import type {
  ExecutionRequestDocument,
  FlowCommandDocument,
  PlannedTask,
} from '../shared/domain/executions/model.ts';
import { nothingMeasured, stageAnswer } from '../shared/domain/flows/answer-rules.ts';
import {
  type FlowAdvance,
  type FlowCommand,
  type FlowEntry,
  flowCommand,
  type InstantCommand,
  type StageCommand,
  stageCommand,
} from '../shared/domain/flows/model.ts';
import { FLOW_LIMITS } from '../shared/domain/flows/rules.ts';
import { passedOf, restrictedTo } from '../shared/domain/runs/restriction-rules.ts';
import type { HeldRun } from '../shared/domain/runs/run-model.ts';
import { failureTypes } from '../shared/kernel/engine/failure-types.ts';
import { keyOf } from '../shared/kernel/ids.ts';
import { muxOf } from '../shared/science/topology/rules.ts';
import { taskCatalog, taskNames } from '../shared/tasks/catalog.ts';
import { inputOffsetProblems, offsetsOfTasks } from '../shared/tasks/input-offsets.ts';
import type { TaskDefinition } from '../shared/tasks/model.ts';
import {
  flowDefaultProblems,
  misspelledRunParameters,
  noSuchTask,
  stageParameterProblems,
  targetProblem,
} from '../shared/tasks/run-options.ts';
import { flowDefaults } from '../shared/tasks/run-parameters.ts';
import type {
  AdvanceInput,
  AdvanceOutput,
  CalibrationActivities,
  LocalActivities,
} from './contracts/runs.ts';
import { flowMessage } from './flow-isolate/flow-error.ts';
import {
  type Asking,
  type FlowContext,
  FlowError,
  type FlowIsolates,
  type FlowProgram,
  FlowStopped,
  type TimedAnswer,
} from './flow-isolate/isolate.ts';
import { createInstantAnswers, UnanswerableCommand } from './instant-answers.ts';
import { newCommand, planTask } from './planning.ts';

/** Time limit in milliseconds for a flow's next command within a workflow task. */
const AT_ONCE_MS = 250;
/** Minimum processor time of a flow, in milliseconds, that is written to the store. */
const NOTED_MS = 20;
/** Maximum number of unknown tasks named in one message. */
const UNKNOWN_TASKS_NAMED = 5;

export interface FlowActivityDependencies {
  areas: Pick<Areas, 'executions' | 'runs' | 'flows' | 'chips' | 'configuration'>;
  isolates: FlowIsolates;
  /** Signal that is aborted when the current step is no longer needed. */
  cancellation?: () => AbortSignal;
  findTask(name: string): TaskDefinition | undefined;
}

/** How long to wait for a step, and whether it may wait for others. */
type HowToAsk = Pick<Asking, 'signal' | 'atOnce'>;

/** State of a run's flow before its next command. */
interface FlowState {
  run: HeldRun;
  request: ExecutionRequestDocument & { flow: NonNullable<ExecutionRequestDocument['flow']> };
  context: FlowContext;
  /** Answered commands, in order. */
  answered: FlowCommandDocument[];
}

function flowFailure(message: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(message, failureTypes.flow);
}

function isInstant(command: FlowCommand): command is InstantCommand {
  return ['qubit_schedule', 'pair_schedule', 'values'].includes(command.kind);
}

/** Activities that get a flow's next command and plan it. */
export function createFlowActivities(
  dependencies: FlowActivityDependencies,
): Pick<CalibrationActivities, 'advanceFlow'> & Pick<LocalActivities, 'advanceFlowLocally'> {
  const { areas, isolates, cancellation, findTask } = dependencies;
  const { runs, flows, chips, configuration } = areas;
  const { commands, store: executions, pinnedChips, addEntries } = areas.executions;
  const instantAnswer = createInstantAnswers({ chips, wiring: configuration.wiring });

  async function partsOf({ project_id, chip_id }: HeldRun): Promise<PinnedChip> {
    const [qubits, couplings] = await Promise.all([
      chips.allQubitIds(project_id, chip_id),
      chips.allCouplingIds(project_id, chip_id),
    ]);
    return { qubits, couplings };
  }

  /** What a flow may know about its chip, as of the run's start: qubits, multiplexers, couplings. */
  function contextOf(
    { chip_id }: HeldRun,
    { parameters }: ExecutionRequestDocument,
    { qubits, couplings }: PinnedChip,
  ): FlowContext {
    const muxes: Record<string, string[]> = {};
    for (const qid of qubits) {
      const mux = String(muxOf(Number(qid)));
      muxes[mux] = [...(muxes[mux] ?? []), qid];
    }
    return { chip_id, qubits, couplings, parameters, muxes };
  }

  function answerOf(document: FlowCommandDocument, { earlier }: ExecutionRequestDocument): TimedAnswer {
    const at = document.answered_at?.getTime() ?? 0;
    if (document.answer) return { at, answer: document.answer };
    if (document.kind !== 'stage' || !document.summary) return { at, answer: { kind: 'sleep' } };
    const { counts, failed } = document.summary;
    const asked = stageCommand.parse(document.command);
    const passed = passedOf(asked, document.summary.passed, earlier?.passed);
    const status = document.status === 'cancelled' ? 'cancelled' : passed.length > 0 ? 'completed' : 'failed';
    return { at, answer: stageAnswer({ name: document.name, status, counts, passed, failed }) };
  }

  /** Validates a stage and resolves its run parameters. Reports all problems at once, or only the unknown tasks if any. */
  function planTasks(
    command: StageCommand,
    { request, context }: FlowState,
  ): { tasks: PlannedTask[]; problems: string[] } {
    const unknown = new Set(command.tasks.map(({ name }) => name).filter((name) => !findTask(name)));
    if (unknown.size > 0) {
      const problems = [...unknown]
        .slice(0, UNKNOWN_TASKS_NAMED)
        .map((name) => noSuchTask(name, taskNames()));
      return { tasks: [], problems };
    }
    const problems = flowDefaultProblems(request.default_run_parameters, taskCatalog);
    const definitions = command.tasks.flatMap(({ name }) => findTask(name) ?? []);
    problems.push(...stageParameterProblems(definitions, command.run_parameters ?? {}));
    const offsets = command.input_offsets ?? {};
    problems.push(...inputOffsetProblems(definitions, offsets));
    const offsetsOf = offsetsOfTasks(definitions, offsets);
    const plan = ({ name, run_parameters = {} }: StageCommand['tasks'][number]) => {
      const definition = findTask(name);
      if (!definition) return null;
      const notMeasurable = targetProblem(definition, command.targets, context);
      if (notMeasurable !== null) problems.push(notMeasurable);
      problems.push(...misspelledRunParameters(definition, run_parameters));
      const planned = planTask(definition, [
        flowDefaults(definition, request.default_run_parameters),
        // Like the defaults for all tasks, these apply only to tasks that have such a parameter.
        flowDefaults(definition, command.run_parameters ?? {}),
        run_parameters,
      ]);
      problems.push(...planned.problems);
      return planned.task;
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

  async function store(run: HeldRun, entries: readonly FlowEntry[]): Promise<void> {
    await addEntries(
      run,
      entries.map((entry) => ({
        index: entry.index,
        kind: entry.kind,
        text: entry.kind === 'log' ? entry.message : entry.name,
        value: entry.kind === 'record' ? entry.value : null,
        created_at: new Date(),
      })),
    );
  }

  /** Answers a command immediately. If the command is repeated, the first answer is kept. */
  async function answerNow(
    { run, request: { earlier }, context }: FlowState,
    index: number,
    command: InstantCommand | StageCommand,
  ): Promise<FlowCommandDocument> {
    const known = await commands.get(run.project_id, run.execution_id, index);
    if (known) return known;
    const answer =
      command.kind === 'stage'
        ? nothingMeasured(command.name, passedOf(command, [], earlier?.passed))
        : await instantAnswer(run, command, context, earlier?.execution_ids ?? []);
    const document: FlowCommandDocument = {
      ...newCommand(run, index, command, []),
      targets: [],
      schedule: undefined,
      status: 'done',
      answer,
      answered_at: new Date(),
    };
    await commands.plan(document);
    return (await commands.get(run.project_id, run.execution_id, index)) ?? document;
  }

  /** @param command the part of the requested stage that is measured */
  async function planStage(
    state: FlowState,
    { index, line, command: asked }: Extract<FlowAdvance, { kind: 'command' }>,
    command: StageCommand,
  ): Promise<AdvanceOutput> {
    const { run, request, answered } = state;
    const before = answered.reduce(
      (sum, document) => sum + document.tasks.length * document.targets.length,
      0,
    );
    const total = before + command.tasks.length * command.targets.length;
    const planned =
      total > FLOW_LIMITS.runTasks
        ? {
            tasks: [],
            problems: [
              `a run holds at most ${FLOW_LIMITS.runTasks} tasks, this stage would make it ${total}`,
            ],
          }
        : planTasks(command, state);
    if (planned.problems.length > 0) {
      const where = flowMessage(request.flow.name, line, `stage "${command.name}" cannot run`);
      throw flowFailure(`${where}: ${planned.problems.join(' ')}`);
    }
    await Promise.all([
      commands.plan({ ...newCommand(run, index, command, planned.tasks), command: asked }),
      runs.locks.noteStage(run.project_id, run.epoch, index + 1),
    ]);
    return {
      kind: 'stage',
      index,
      name: command.name,
      targets: command.targets.length,
      tasks: planned.tasks.length,
      parallel: command.parallel === undefined ? null : Math.min(command.parallel, FLOW_LIMITS.parallel),
    };
  }

  /** The commands of a run; those up to `done` have answers. */
  async function commandsOf({ run, done, answer }: AdvanceInput): Promise<FlowCommandDocument[]> {
    if (done >= 0) {
      // A stage gets its answer when it is closed. Only finished waits and approvals are answered here.
      await commands.complete(run.project_id, run.execution_id, done, {
        status: 'done',
        summary: null,
        at: new Date(),
        ...(answer ? { answer } : {}),
      });
    }
    return commands.ofExecution(run.project_id, run.execution_id);
  }

  async function flowStateOf(input: AdvanceInput): Promise<{
    state: FlowState;
    issued: FlowCommand[];
    program: FlowProgram;
    startedAt: Date;
  }> {
    const { run, done } = input;
    const { project_id, execution_id } = run;
    const [request, stored, pinned, parts, execution] = await Promise.all([
      executions.request(project_id, execution_id),
      commandsOf(input),
      pinnedChips.get(project_id, execution_id),
      // At the first step of a run nothing is pinned yet.
      done < 0 ? partsOf(run) : null,
      executions.get(project_id, execution_id),
    ]);
    if (!request?.flow) throw flowFailure('The run has no flow.');
    if (!execution) throw flowFailure('The execution of this run is not stored.');
    const { name, hash, function_name } = request.flow;
    const [chip, version] = await Promise.all([
      pinned ?? pinnedChips.pin(project_id, execution_id, parts ?? (await partsOf(run))),
      flows.version(project_id, name, hash),
    ]);
    if (!version) throw flowFailure(`The stored code of flow ${name} is gone.`);
    // After the last completed command, there may be commands that an interrupted earlier attempt answered here.
    const isAnswered = (document: FlowCommandDocument) =>
      document.index <= done || document.answer !== undefined;
    const open = stored.findIndex((document) => !isAnswered(document));
    return {
      state: {
        run,
        request: { ...request, flow: request.flow },
        context: contextOf(run, request, chip),
        answered: open < 0 ? stored : stored.slice(0, open),
      },
      issued: stored.map((document) => flowCommand.parse(document.command)),
      program: { javascript: version.javascript, functionName: function_name, flowName: name },
      startedAt: execution.start_at,
    };
  }

  /** Counts the processor time of a run's flow, which has a limit for the whole run. */
  function timeOf({ run, request }: FlowState, how: HowToAsk): { asking: Asking; note(): Promise<void> } {
    let spentMs = request.flow_ms ?? 0;
    let notedMs = spentMs;
    return {
      asking: {
        tenant: run.user_id,
        project: run.project_id,
        get spentMs() {
          return spentMs;
        },
        ...how,
        onSpent(ms) {
          spentMs += ms;
        },
      },
      async note() {
        if (spentMs - notedMs < NOTED_MS) return;
        await executions.noteFlowTime(run.project_id, run.execution_id, spentMs - notedMs);
        notedMs = spentMs;
      },
    };
  }

  async function nextCommand(input: AdvanceInput, how: HowToAsk): Promise<AdvanceOutput> {
    const { run } = input;
    const { state, issued, program, startedAt } = await flowStateOf(input);
    const { flow } = state.request;
    const key = keyOf(run.project_id, run.execution_id);
    const seed = { randomSeed: key, startedAt: startedAt.getTime() };
    const time = timeOf(state, how);
    try {
      for (;;) {
        const answers = state.answered.map((document) => answerOf(document, state.request));
        const input = { seed, context: state.context, issued, answers };
        const advance = await isolates.advance(key, program, input, time.asking);
        await time.note();
        await store(run, advance.entries);
        if (advance.kind === 'end') {
          isolates.drop(key);
          return { kind: 'end', ...(advance.message === undefined ? {} : { message: advance.message }) };
        }
        const { index, line, command } = advance;
        const stage = command.kind === 'stage' ? restrictedTo(command, state.request.targets) : null;
        if (stage) return await planStage(state, advance, stage);
        if (command.kind !== 'stage' && !isInstant(command)) {
          await commands.plan(newCommand(run, index, command, []));
          return command.kind === 'sleep'
            ? { kind: 'sleep', index, seconds: command.seconds }
            : { index, ...command };
        }
        const document = await answerNow(state, index, command).catch((thrown: unknown) => {
          if (!(thrown instanceof UnanswerableCommand)) throw thrown;
          throw flowFailure(flowMessage(flow.name, line, thrown.message));
        });
        issued[index] = command;
        state.answered.push(document);
      }
    } catch (thrown) {
      await time.note();
      if (thrown instanceof FlowStopped) throw new CancelledFailure('the flow was stopped');
      if (!(thrown instanceof FlowError)) throw thrown;
      await store(run, thrown.entries);
      throw flowFailure(thrown.message);
    }
  }

  return {
    /**
     * The flow's next command after command number `done`, stored with its plan before it is carried out. Requests for
     * schedules and values are answered here and stored like any other command, and the flow continues. Safe to run twice:
     * the flow repeats the same command, and stored commands are kept.
     * @throws FlowError naming the flow and its line
     */
    advanceFlow: (input) => nextCommand(input, { signal: cancellation?.() }),

    /** The same, unless the flow computes for too long or would have to wait for others. */
    async advanceFlowLocally(input) {
      const limit = AbortSignal.timeout(AT_ONCE_MS);
      const cancelled = cancellation?.();
      const signal = cancelled ? AbortSignal.any([cancelled, limit]) : limit;
      try {
        return await nextCommand(input, { signal, atOnce: true });
      } catch (thrown) {
        if (thrown instanceof CancelledFailure) return null;
        throw thrown;
      }
    },
  };
}
