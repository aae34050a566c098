import { ApplicationFailure } from '@temporalio/common';
import type { Areas } from '../shared/domain/areas.ts';
import type { PinnedChip } from '../shared/domain/executions/index.ts';
import type { ExecutionRequestDocument, FlowCommandDocument } from '../shared/domain/executions/model.ts';
import { stageAnswer } from '../shared/domain/flows/answer-rules.ts';
import { type FlowCommand, flowCommand, stageCommand } from '../shared/domain/flows/model.ts';
import { passedOf } from '../shared/domain/runs/restriction-rules.ts';
import type { HeldRun } from '../shared/domain/runs/run-model.ts';
import { failureTypes } from '../shared/kernel/engine/failure-types.ts';
import { muxOf } from '../shared/science/topology/rules.ts';
import type { AdvanceInput } from './contracts/runs.ts';
import type { FlowContext, FlowProgram, TimedAnswer } from './flow-isolate/isolate.ts';

/** State of a run's flow before its next command. */
export interface FlowState {
  run: HeldRun;
  request: ExecutionRequestDocument & { flow: NonNullable<ExecutionRequestDocument['flow']> };
  context: FlowContext;
  /** Answered commands, in order. */
  answered: FlowCommandDocument[];
}

/** The end of a run because of its flow. It is not retried. */
export function flowFailure(message: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(message, failureTypes.flow);
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

/** The answer of a command that has one, as its flow gets it. */
export function answerOf(document: FlowCommandDocument, { earlier }: ExecutionRequestDocument): TimedAnswer {
  const at = document.answered_at?.getTime() ?? 0;
  if (document.answer) return { at, answer: document.answer };
  if (document.kind !== 'stage' || !document.summary) return { at, answer: { kind: 'sleep' } };
  const { counts, failed } = document.summary;
  const asked = stageCommand.parse(document.command);
  const passed = passedOf(asked, document.summary.passed, earlier?.passed);
  const status = document.status === 'cancelled' ? 'cancelled' : passed.length > 0 ? 'completed' : 'failed';
  return { at, answer: stageAnswer({ name: document.name, status, counts, passed, failed }) };
}

/** Reads what a flow needs for its next command. */
export function createFlowStates({
  executions,
  flows,
  chips,
}: Pick<Areas, 'executions' | 'flows' | 'chips'>) {
  const { commands, pinnedChips } = executions;

  async function partsOf({ project_id, chip_id }: HeldRun): Promise<PinnedChip> {
    const [qubits, couplings] = await Promise.all([
      chips.allQubitIds(project_id, chip_id),
      chips.allCouplingIds(project_id, chip_id),
    ]);
    return { qubits, couplings };
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

  /** @throws the failure of the run if its flow, its execution or the code is gone */
  return async function flowStateOf(input: AdvanceInput): Promise<{
    state: FlowState;
    issued: FlowCommand[];
    program: FlowProgram;
    startedAt: Date;
  }> {
    const { run, done } = input;
    const { project_id, execution_id } = run;
    const [request, stored, pinned, parts, execution] = await Promise.all([
      executions.store.request(project_id, execution_id),
      commandsOf(input),
      pinnedChips.get(project_id, execution_id),
      // At the first step of a run nothing is pinned yet.
      done < 0 ? partsOf(run) : null,
      executions.store.get(project_id, execution_id),
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
  };
}
