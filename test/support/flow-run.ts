import type {
  FlowContext,
  FlowIsolates,
  FlowProgram,
  FlowSeed,
} from '../../activities/flow-isolate/isolate.ts';
import type { TimedAnswer } from '../../activities/flow-isolate/protocol.ts';
import { stageAnswer } from '../../shared/domain/flows/answer-rules.ts';
import type {
  FlowAdvance,
  FlowAnswer,
  FlowCommand,
  FlowEntry,
  JsonValue,
  StageCommand,
} from '../../shared/domain/flows/model.ts';
import { pairScheduleAnswer, qubitScheduleAnswer } from '../../shared/domain/flows/schedule-rules.ts';
import { generatedTopology } from '../../shared/science/topology/rules.ts';

// A small stand-in for the workflow: it carries out what a flow asks for, without measuring.

export const startedAt = Date.UTC(2026, 0, 5, 8, 0, 0);
export const seed: FlowSeed = { randomSeed: '20260105-001', startedAt };

export const context: FlowContext = {
  chip_id: '16Q',
  parameters: { qids: ['1', '2'], limits: { low: 1 } },
  qubits: Array.from({ length: 16 }, (_, qid) => String(qid)),
  muxes: {
    0: ['0', '1', '2', '3'],
    1: ['4', '5', '6', '7'],
    2: ['8', '9', '10', '11'],
    3: ['12', '13', '14', '15'],
  },
  couplings: ['0-1', '1-0', '0-2', '2-0', '1-3', '3-1', '2-3', '3-2', '1-4', '4-1'],
};

/** A flow of the name `nightly` with JavaScript as a check would give it. */
export function program(javascript: string): FlowProgram {
  return { javascript, functionName: 'nightly', flowName: 'nightly' };
}

/** A flow whose function has these lines; the first of them is line 2. */
export function flow(...lines: string[]): FlowProgram {
  return program(['export async function nightly(session) {', ...lines, '}'].join('\n'));
}

const chip = {
  couplings: context.couplings,
  muxes: context.muxes,
  topology: generatedTopology('square-lattice-mux-16'),
  wiring: null,
};

/** Every third qubit fails, and every pair with one that fails; each command takes ten seconds. */
function fails(target: string): boolean {
  return target.split('-').some((id) => Number(id) % 3 === 2);
}

/** Which targets fail in a stage of this name. */
type Fails = (target: string, stage: string) => boolean;

function stageAnswerTo(command: StageCommand, failsThere: Fails): FlowAnswer {
  const isFailed = (target: string) => failsThere(target, command.name);
  const passed = command.targets.filter((id) => !isFailed(id));
  const failed = command.targets.filter(isFailed).map((target) => ({
    target,
    task: command.tasks[0]?.name ?? '',
    message: 'fit r2 0.3 is not above 0.6',
  }));
  const total = command.targets.length * command.tasks.length;
  const counts = { completed: total - failed.length, failed: failed.length, skipped: 0, cancelled: 0, total };
  const status = passed.length > 0 ? 'completed' : 'failed';
  return stageAnswer({ name: command.name, status, counts, passed, failed });
}

function answered(command: FlowCommand, failsThere: Fails): FlowAnswer {
  switch (command.kind) {
    case 'stage':
      return stageAnswerTo(command, failsThere);
    case 'sleep':
      return { kind: 'sleep' };
    case 'approval':
      return { kind: 'approval', answer: command.default, answered_by: null, expired: true };
    case 'qubit_schedule':
      return qubitScheduleAnswer(command, chip);
    case 'pair_schedule':
      return pairScheduleAnswer(command, chip, {});
    case 'values': {
      // A value is 0.9 and the qubit's number in thousandths; mux 1 was measured in an earlier run. Of pairs 0-1 has values.
      const storedOf = (id: string) =>
        id.includes('-') ? (id === '0-1' ? 0.9 : null) : 0.9 + Number(id) / 1000;
      const values = command.targets.map((id) => [id, storedOf(id)] as const);
      const this_run = command.targets.filter((id) => !context.muxes['1']?.includes(id));
      return { kind: 'values', values: Object.fromEntries(values), this_run };
    }
    case 'maintenance': {
      // Each task depends on the one before it. The first one does not hold on the first target.
      const tasks = command.tasks.map((name, place) => ({
        ...{ name, type: 'qubit' as const, has_check: name === 'CheckT1', finds: [`value of ${name}`] },
        depends_on: command.tasks.slice(place - 1, place).map((task) => ({ task, role: 'own' as const })),
      }));
      const [task = '', target = ''] = [command.tasks[0], command.targets[0]];
      return {
        kind: 'maintenance',
        tasks,
        not_holding: [
          {
            ...{ task, target, reason: 'It is due.', is_known: true, retry_at: null },
            ...{ state: 'due' as const, parameters: ['a value'] },
          },
        ],
      };
    }
    case 'changes':
      return { kind: 'changes', changed: command.targets };
    case 'checks': {
      // Of every two qubits the first is out of specification.
      const outcomeOf = (id: string) =>
        Number(id) % 2 === 0 ? ('out_of_specification' as const) : ('in_specification' as const);
      return {
        kind: 'checks',
        outcomes: Object.fromEntries(command.targets.map((id) => [id, outcomeOf(id)])),
        reasons: Object.fromEntries(
          command.targets
            .filter((id) => outcomeOf(id) === 'out_of_specification')
            .map((id) => [id, `It moved on ${id}.`]),
        ),
      };
    }
  }
}

export function answerTo(command: FlowCommand, index: number, failsThere: Fails = fails): TimedAnswer {
  return { at: startedAt + (index + 1) * 10_000, answer: answered(command, failsThere) };
}

export interface FlowRun {
  commands: FlowCommand[];
  answers: TimedAnswer[];
  entries: FlowEntry[];
  value: JsonValue;
  /** Why it ended before its last line. */
  message?: string | undefined;
}

/**
 * Carries a flow out to its end; `before` may disturb the isolates before each step, `context` is what differs of it, and
 * `fails` is the list of targets that fail, by stage.
 */
export async function carryOut(
  isolates: FlowIsolates,
  key: string,
  of: FlowProgram,
  its: {
    before?: (step: number) => void | Promise<void>;
    context?: Partial<FlowContext>;
    fails?: Fails;
  } = {},
): Promise<FlowRun> {
  const run: FlowRun = { commands: [], answers: [], entries: [], value: null };
  for (;;) {
    await its.before?.(run.commands.length);
    const step: FlowAdvance = await isolates.advance(key, of, {
      seed,
      context: { ...context, ...its.context },
      issued: run.commands,
      answers: run.answers,
    });
    run.entries.push(...step.entries);
    if (step.kind === 'end') return { ...run, value: step.value, message: step.message };
    run.answers.push(answerTo(step.command, step.index, its.fails));
    run.commands.push(step.command);
  }
}

/** The flow's first step. */
export function firstStep(isolates: FlowIsolates, of: FlowProgram, its: Partial<FlowContext> = {}) {
  return isolates.advance('first step', of, {
    seed,
    context: { ...context, ...its },
    issued: [],
    answers: [],
  });
}
