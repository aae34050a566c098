import { CancelledFailure } from '@temporalio/common';
import type { Areas } from '../shared/domain/areas.ts';
import type { FlowCommand, InstantCommand } from '../shared/domain/flows/model.ts';
import { restrictedTo } from '../shared/domain/runs/restriction-rules.ts';
import { keyOf, type ProjectId } from '../shared/kernel/ids.ts';
import type { KnownTasks } from '../shared/tasks/known-tasks.ts';
import type {
  AdvanceInput,
  AdvanceOutput,
  CalibrationActivities,
  LocalActivities,
} from './contracts/runs.ts';
import { createFlowCommands } from './flow-commands.ts';
import { createFlowEntries } from './flow-entries.ts';
import { flowMessage } from './flow-isolate/flow-error.ts';
import { FlowError, type FlowIsolates, FlowStopped } from './flow-isolate/isolate.ts';
import { createRehearsal } from './flow-rehearsal.ts';
import { answerOf, createFlowStates, flowFailure } from './flow-state.ts';
import { createFlowTimes, type StepOptions } from './flow-time.ts';
import { createInstantAnswers, UnanswerableCommand } from './instant-answers.ts';
import { newCommand } from './planning.ts';

/** Time limit in milliseconds for a flow's next command within a workflow task. */
const AT_ONCE_MS = 250;

export interface FlowActivityDependencies {
  areas: Pick<Areas, 'executions' | 'runs' | 'flows' | 'chips' | 'configuration' | 'maintenance'>;
  isolates: FlowIsolates;
  /** Signal that is aborted when the current step is no longer needed. */
  cancellation?: () => AbortSignal;
  /** The tasks that a project can run. */
  tasksOf(projectId: ProjectId): Promise<KnownTasks>;
}

function isInstant(command: FlowCommand): command is InstantCommand {
  return ['qubit_schedule', 'pair_schedule', 'values', 'maintenance', 'changes', 'checks'].includes(
    command.kind,
  );
}

/** Activities that get a flow's next command and plan it. */
export function createFlowActivities(
  dependencies: FlowActivityDependencies,
): Pick<CalibrationActivities, 'advanceFlow'> & Pick<LocalActivities, 'advanceFlowLocally'> {
  const { areas, isolates, cancellation, tasksOf } = dependencies;
  const { chips, configuration, maintenance } = areas;
  const { commands, store: executions } = areas.executions;
  const store = createFlowEntries(areas);
  const flowStateOf = createFlowStates(areas);
  const instantAnswer = createInstantAnswers({ chips, maintenance, wiring: configuration.wiring, tasksOf });
  const { answerNow, planStage } = createFlowCommands({ areas, tasksOf, instantAnswer });
  const { timeOf } = createFlowTimes(executions);
  const rehearsal = createRehearsal({ isolates, instantAnswer, tasksOf });

  /** Lets the flow compute until it issues a command that takes time, or ends. */
  async function nextCommand(input: AdvanceInput, stepOptions: StepOptions): Promise<AdvanceOutput> {
    const { run } = input;
    const { state, issued, program, startedAt } = await flowStateOf(input);
    const { flow } = state.request;
    const key = keyOf(run.project_id, run.execution_id);
    const seed = { randomSeed: key, startedAt: startedAt.getTime() };
    const time = timeOf(state, stepOptions);
    try {
      for (;;) {
        const answers = state.answered.map((document) => answerOf(document, state.request));
        const input = { seed, context: state.context, issued, answers };
        const advance = await isolates.advance(key, program, input, time.options);
        await time.note();
        await store(run, advance.entries);
        if (advance.kind === 'end') {
          isolates.drop(key);
          return { kind: 'end', ...(advance.message === undefined ? {} : { message: advance.message }) };
        }
        const { index, line, command } = advance;
        const stage = command.kind === 'stage' ? restrictedTo(command, state.request.targets) : null;
        if (stage) {
          const isFirst = !issued.some(({ kind }) => kind === 'stage');
          if (isFirst && rehearsal.isWorthwhile(state)) {
            const rehearsed = { state, program, seed, answers, issued: [...issued, command] };
            const problem = await rehearsal.problemAhead(run, rehearsed, time.options);
            if (problem !== null) throw flowFailure(problem);
          }
          return await planStage(state, advance, stage);
        }
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
