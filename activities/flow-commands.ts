import type { Areas } from '../shared/domain/areas.ts';
import type { FlowCommandDocument } from '../shared/domain/executions/model.ts';
import { nothingMeasured } from '../shared/domain/flows/answer-rules.ts';
import type { FlowAdvance, InstantCommand, StageCommand } from '../shared/domain/flows/model.ts';
import { FLOW_LIMITS } from '../shared/domain/flows/rules.ts';
import { passedOf } from '../shared/domain/runs/restriction-rules.ts';
import type { ProjectId } from '../shared/kernel/ids.ts';
import type { KnownTasks } from '../shared/tasks/known-tasks.ts';
import type { AdvanceOutput } from './contracts/runs.ts';
import { flowMessage } from './flow-isolate/flow-error.ts';
import { tooManyTasks } from './flow-rehearsal.ts';
import { planProblem, planTasks } from './flow-stage.ts';
import { type FlowState, flowFailure } from './flow-state.ts';
import type { createInstantAnswers } from './instant-answers.ts';
import { newCommand } from './planning.ts';

/** Answers the commands of a flow that need no measurement, and plans its stages. */
export function createFlowCommands({
  areas,
  tasksOf,
  instantAnswer,
}: {
  /** The tasks that a project can run. */
  tasksOf(projectId: ProjectId): Promise<KnownTasks>;
  areas: Pick<Areas, 'executions' | 'runs' | 'maintenance'>;
  instantAnswer: ReturnType<typeof createInstantAnswers>;
}) {
  const { runs, maintenance } = areas;
  const { commands } = areas.executions;

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
        ? { tasks: [], problems: [tooManyTasks(total)] }
        : planTasks(command, state, await tasksOf(run.project_id), await maintenance.tolerances());
    const document = { ...newCommand(run, index, command, planned.tasks), command: asked };
    const tooLarge = planProblem(document);
    if (tooLarge !== null) planned.problems.push(tooLarge);
    if (planned.problems.length > 0) {
      const where = flowMessage(request.flow.name, line, `stage "${command.name}" cannot run`);
      throw flowFailure(`${where}: ${planned.problems.join(' ')}`);
    }
    await Promise.all([commands.plan(document), runs.locks.noteStage(run.project_id, run.epoch, index + 1)]);
    return {
      kind: 'stage',
      index,
      name: command.name,
      targets: command.targets.length,
      tasks: planned.tasks.length,
      parallel: command.parallel === undefined ? null : Math.min(command.parallel, FLOW_LIMITS.parallel),
    };
  }

  return { answerNow, planStage };
}
