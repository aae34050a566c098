import type { FlowAnswer, FlowCommand } from '../../../shared/domain/flows/model.ts';
import type { Outcome } from '../outcome.ts';
import type { PlannerSetup } from '../protocol.ts';
import { awaitOnly } from './await-only.ts';
import type { Lines } from './lines.ts';
import { toJson } from './values.ts';

type FailureReason = Extract<Outcome, { state: 'failed' }>['reason'];

export interface Failure {
  reason: FailureReason;
  line: number;
  message: string;
}

/** An asynchronous call of a flow: it yields commands one after another, gets their answers, and returns the result. */
export type Procedure<T> = Generator<FlowCommand, T, FlowAnswer>;

/** A call of the flow that waits for an answer. */
interface Call {
  line: number;
  /** `stage "Rabi"`, for messages. */
  what: string;
  /** Whether the flow waits for it. */
  awaited: boolean;
}

/** The command that waits for its answer. */
export interface Pending {
  call: Call;
  command: FlowCommand;
}

export interface Commands {
  /** Starts a call. Its first step runs synchronously, so that invalid arguments throw in the caller. */
  carryOut<T>(procedure: Procedure<T>, what: string, line: number): PromiseLike<T>;
  answer(answer: FlowAnswer): void;
  /** Fails the flow. It cannot continue even if it catches the error. */
  fail(reason: FailureReason, line: number, message: string): Error;
  /** Ends the flow without an error. It cannot continue even if it catches the exception. */
  end(message: string): Error;
  /** Number of commands answered so far. */
  answered(): number;
  pending(): Pending | undefined;
  failure(): Failure | undefined;
  /** Why the flow ended before its last line, if it did. */
  ended(): string | undefined;
}

/** The commands of a flow, one at a time. */
export function createCommands(limits: PlannerSetup['limits'], lines: Lines): Commands {
  let answered = 0;
  let pending: (Pending & { onAnswer: (answer: FlowAnswer) => void }) | undefined;
  let failure: Failure | undefined;
  let ended: string | undefined;

  function fail(reason: FailureReason, line: number, message: string): Error {
    failure ??= { reason, line, message };
    return new Error(message);
  }

  function ask(command: FlowCommand, call: Call, onAnswer: (answer: FlowAnswer) => void): void {
    const { what, line } = call;
    if (ended !== undefined) throw new Error(ended);
    if (pending !== undefined) throw fail('command', line, overlapMessage(what, line, pending.call));
    if (answered >= limits.commands) {
      throw fail('commands', line, `the flow asked for more than ${limits.commands} stages and waits`);
    }
    toJson(command, what, limits.commandBytes, limits.levels);
    pending = { call, command, onAnswer };
  }

  return {
    fail,
    answered: () => answered,
    pending: () => pending,
    failure: () => failure,
    ended: () => ended,

    end(message) {
      ended ??= message;
      return new Error(message);
    },

    carryOut<T>(procedure: Procedure<T>, what: string, line: number) {
      const call: Call = { what, line, awaited: false };
      let settle: { resolve: (value: T) => void; reject: (error: unknown) => void } | undefined;
      const proceed = (answer: FlowAnswer) => {
        try {
          const step = procedure.next(answer);
          if (step.done) settle?.resolve(step.value);
          else ask(step.value, call, proceed);
        } catch (error) {
          settle?.reject(error);
        }
      };
      const first = procedure.next();
      if (!first.done) ask(first.value, call, proceed);
      return awaitOnly<T>(
        (resolve, reject) => {
          if (first.done) resolve(first.value);
          else settle = { resolve, reject };
        },
        {
          await: () => {
            call.awaited = true;
          },
          misuse: (property) =>
            fail(
              'command',
              lines.ofCaller(),
              `await is missing before ${what} on line ${line}: "${property}" is not known yet`,
            ),
        },
      );
    },

    answer(answer) {
      const asked = pending;
      pending = undefined;
      answered += 1;
      asked?.onAnswer(answer);
    },
  };
}

/** Requests one command. An answer of another kind belongs to another run. */
export function* ask<K extends FlowCommand['kind']>(
  command: FlowCommand & { kind: K },
): Procedure<FlowAnswer & { kind: K }> {
  const answer = yield command;
  if (isOfKind<K>(answer, command.kind)) return answer;
  throw new TypeError(`a ${command.kind} was answered with a ${answer.kind}`);
}

function isOfKind<K extends FlowCommand['kind']>(
  answer: FlowAnswer,
  kind: K,
): answer is FlowAnswer & { kind: K } {
  return answer.kind === kind;
}

function overlapMessage(what: string, line: number, pending: Call): string {
  const forgotten = !pending.awaited && pending.line !== line;
  const hint = forgotten ? ` (is await missing on line ${pending.line}?)` : '';
  return `${what} was requested while ${pending.what} of line ${pending.line} is under way; stages and waits run one at a time, so await each one before the next${hint}`;
}
