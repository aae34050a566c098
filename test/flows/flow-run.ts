import type {
  FlowContext,
  FlowIsolates,
  FlowProgram,
  FlowSeed,
} from '../../activities/flow-isolate/isolate.ts';
import type { TimedAnswer } from '../../activities/flow-isolate/protocol.ts';
import { stageAnswer } from '../../shared/flows/answers.ts';
import type { FlowAdvance, FlowCommand, FlowEntry, JsonValue } from '../../shared/flows/model.ts';

// A small stand-in for the workflow: it carries out what a flow asks for, without measuring.

export const startedAt = Date.UTC(2026, 0, 5, 8, 0, 0);
export const seed: FlowSeed = { randomSeed: '20260105-001', startedAt };

export const context: FlowContext = {
  chip_id: '16Q',
  parameters: { qids: ['1', '2'], limits: { low: 1 } },
  qubits: Array.from({ length: 16 }, (_, qid) => String(qid)),
  muxes: { 0: ['0', '1', '2', '3'], 1: ['4', '5', '6', '7'] },
  couplings: ['0-1', '1-2'],
};

/** A flow of the name `nightly` with JavaScript as a check would give it. */
export function program(javascript: string): FlowProgram {
  return { javascript, functionName: 'nightly', flowName: 'nightly' };
}

/** A flow whose function has these lines; the first of them is line 2. */
export function flow(...lines: string[]): FlowProgram {
  return program(['export async function nightly(session) {', ...lines, '}'].join('\n'));
}

/** Every third qubit fails; each command takes ten seconds. */
export function answerTo(command: FlowCommand, index: number): TimedAnswer {
  const at = startedAt + (index + 1) * 10_000;
  if (command.kind === 'sleep') return { at, answer: { kind: 'sleep' } };
  const passed = command.targets.filter((id) => Number(id) % 3 !== 2);
  const failed = command.targets
    .filter((id) => !passed.includes(id))
    .map((target) => ({
      target,
      task: command.tasks[0]?.name ?? '',
      message: 'fit r2 0.3 is not above 0.6',
    }));
  const total = command.targets.length * command.tasks.length;
  const counts = { completed: total - failed.length, failed: failed.length, skipped: 0, cancelled: 0, total };
  const status = passed.length > 0 ? 'completed' : 'failed';
  return { at, answer: stageAnswer({ name: command.name, status, counts, passed, failed }) };
}

export interface FlowRun {
  commands: FlowCommand[];
  answers: TimedAnswer[];
  entries: FlowEntry[];
  value: JsonValue;
}

/** Carries a flow out to its end; `before` may disturb the isolates before each step, `its` is what differs of the context. */
export async function carryOut(
  isolates: FlowIsolates,
  key: string,
  of: FlowProgram,
  before: (step: number) => void | Promise<void> = () => {},
  its: Partial<FlowContext> = {},
): Promise<FlowRun> {
  const run: FlowRun = { commands: [], answers: [], entries: [], value: null };
  for (;;) {
    await before(run.commands.length);
    const step: FlowAdvance = await isolates.advance(
      key,
      of,
      seed,
      { ...context, ...its },
      run.commands,
      run.answers,
    );
    run.entries.push(...step.entries);
    if (step.kind === 'end') return { ...run, value: step.value };
    run.answers.push(answerTo(step.command, step.index));
    run.commands.push(step.command);
  }
}

/** The flow's first step. */
export function firstStep(isolates: FlowIsolates, of: FlowProgram, its: Partial<FlowContext> = {}) {
  return isolates.advance('first step', of, seed, { ...context, ...its }, [], []);
}
