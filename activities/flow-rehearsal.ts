import type { FlowCommand } from '../shared/domain/flows/model.ts';
import { FLOW_LIMITS } from '../shared/domain/flows/rules.ts';
import { noCounts } from '../shared/domain/results/count-rules.ts';
import { passedOf, restrictedTo } from '../shared/domain/runs/restriction-rules.ts';
import type { HeldRun } from '../shared/domain/runs/run-model.ts';
import { keyOf, type ProjectId } from '../shared/kernel/ids.ts';
import type { KnownTasks } from '../shared/tasks/known-tasks.ts';
import { flowMessage } from './flow-isolate/flow-error.ts';
import {
  type AdvanceOptions,
  FlowError,
  type FlowIsolates,
  type FlowProgram,
  type FlowSeed,
  type TimedAnswer,
} from './flow-isolate/isolate.ts';
import { planTasks } from './flow-stage.ts';
import type { FlowState } from './flow-state.ts';
import { type createInstantAnswers, UnanswerableCommand } from './instant-answers.ts';

/** Number of qubits from which a run is rehearsed. The stages of smaller chips end soon, or are few. */
const REHEARSED_QUBITS = 256;
/** Processor time of a rehearsal in milliseconds, after which the run begins without its end. */
const REHEARSAL_MS = 1000;

/** What the rehearsal continues from: the commands requested so far, the last of which is the first stage. */
export interface RehearsedFlow {
  state: FlowState;
  program: FlowProgram;
  seed: FlowSeed;
  issued: readonly FlowCommand[];
  answers: readonly TimedAnswer[];
}

/**
 * Finds before the first measurement that a run will not be able to carry out a later stage, which it would otherwise notice after
 * hours of measuring. The flow is executed on the assumption that each target passes each stage, up to the first command whose
 * answer is not known: a wait, an approval, or values. A flow that cannot be rehearsed is not refused.
 */
export function createRehearsal(dependencies: {
  isolates: Pick<FlowIsolates, 'advance' | 'drop'>;
  instantAnswer: ReturnType<typeof createInstantAnswers>;
  /** The tasks that a project can run. */
  tasksOf(projectId: ProjectId): Promise<KnownTasks>;
}) {
  const { isolates, instantAnswer, tasksOf } = dependencies;

  async function assumed(command: FlowCommand, { run, request, context }: FlowState) {
    if (command.kind === 'qubit_schedule' || command.kind === 'pair_schedule') {
      return { answer: await instantAnswer(run, command, context, []), tasks: 0 };
    }
    if (command.kind !== 'stage') return null;
    const measured = restrictedTo(command, request.targets);
    const tasks = (measured?.targets.length ?? 0) * command.tasks.length;
    const passed = passedOf(command, measured?.targets ?? [], request.earlier?.passed);
    const counts = { ...noCounts, completed: tasks, total: tasks };
    const status = measured ? ('completed' as const) : ('skipped' as const);
    return {
      answer: { kind: 'stage' as const, name: command.name, status, counts, passed, failed: [] },
      tasks,
    };
  }

  async function firstProblem(
    key: string,
    flow: RehearsedFlow,
    options: AdvanceOptions,
  ): Promise<string | null> {
    const { state, program, seed } = flow;
    const issued = [...flow.issued];
    const answers = [...flow.answers];
    const at = answers.at(-1)?.at ?? seed.startedAt;
    const known = await tasksOf(state.run.project_id);
    let spentMs = 0;
    let tasks = 0;
    const onSpent = (ms: number) => {
      spentMs += ms;
    };
    for (let command = issued.at(-1); command && spentMs < REHEARSAL_MS; ) {
      const assumption = await assumed(command, state);
      if (!assumption) return null;
      answers.push({ at, answer: assumption.answer });
      tasks += assumption.tasks;
      const next = await isolates.advance(
        key,
        program,
        { seed, context: state.context, issued, answers },
        { ...options, spentMs: 0, onSpent },
      );
      if (next.kind === 'end') return null;
      command = next.command;
      issued.push(command);
      const stage = command.kind === 'stage' ? restrictedTo(command, state.request.targets) : null;
      if (!stage) continue;
      const total = tasks + stage.targets.length * stage.tasks.length;
      const problems =
        total > FLOW_LIMITS.runTasks ? [tooManyTasks(total)] : planTasks(stage, state, known).problems;
      if (problems.length === 0) continue;
      const where = flowMessage(program.flowName, next.line, `stage "${stage.name}" could not run`);
      return `${where}: ${problems.join(' ')} Nothing was measured.`;
    }
    return null;
  }

  return {
    /** Whether a run is large enough. */
    isWorthwhile: ({ context }: FlowState): boolean => context.qubits.length >= REHEARSED_QUBITS,

    /**
     * @returns why a later stage could not run; null if none is known
     * @throws FlowStopped if it was stopped or may not wait for other flows
     */
    async problemAhead(run: HeldRun, flow: RehearsedFlow, options: AdvanceOptions): Promise<string | null> {
      const key = `${keyOf(run.project_id, run.execution_id)} rehearsal`;
      try {
        return await firstProblem(key, flow, options);
      } catch (thrown) {
        // Its own error ends the run when the run gets there, perhaps with other answers.
        if (thrown instanceof FlowError || thrown instanceof UnanswerableCommand) return null;
        throw thrown;
      } finally {
        isolates.drop(key);
      }
    },
  };
}

/** @param total number of tasks that a run would have with the next stage */
export function tooManyTasks(total: number): string {
  return `a run holds at most ${FLOW_LIMITS.runTasks} tasks, this stage would make it ${total}.`;
}
