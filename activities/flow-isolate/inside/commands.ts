import type { FlowAnswer, FlowCommand } from '../../../shared/flows/model.ts';
import type { Outcome } from '../outcome.ts';
import type { PlannerSetup } from '../protocol.ts';
import { Answerable } from './answerable.ts';
import type { Lines } from './lines.ts';
import { type StageSummary, skippedStage, stageSummary } from './stage-summary.ts';
import { toJson } from './values.ts';

type FailureReason = Extract<Outcome, { state: 'failed' }>['reason'];

export interface Failure {
  reason: FailureReason;
  line: number;
  message: string;
}

/** The command that waits for its answer. */
export interface Pending {
  line: number;
  /** `stage "Rabi"`, for messages. */
  what: string;
  command: FlowCommand;
  /** Whether the flow waits for it. */
  awaited: boolean;
  resolve: (value: StageSummary | undefined) => void;
}

export interface Commands {
  issue(command: FlowCommand, what: string, line: number): PromiseLike<StageSummary | undefined>;
  /** A stage that has nothing to run and so is answered at once. */
  skip(name: string, what: string, line: number): PromiseLike<StageSummary | undefined>;
  answer(answer: FlowAnswer): void;
  /** Ends the flow; whatever it catches, it cannot go on. */
  fail(reason: FailureReason, line: number, message: string): Error;
  /** Commands answered so far. */
  answered(): number;
  pending(): Pending | undefined;
  failure(): Failure | undefined;
}

/** The commands of a flow, one at a time. */
export function createCommands(limits: PlannerSetup['limits'], lines: Lines): Commands {
  let answered = 0;
  let pending: Pending | undefined;
  let failure: Failure | undefined;

  function fail(reason: FailureReason, line: number, message: string): Error {
    failure ??= { reason, line, message };
    return new Error(message);
  }

  function answerable(
    what: string,
    line: number,
    start: (resolve: (value: StageSummary | undefined) => void) => void,
    onAwait: () => void,
  ) {
    return new Answerable(start, {
      await: onAwait,
      misuse: (property) =>
        fail(
          'command',
          lines.ofCaller(),
          `await is missing before ${what} on line ${line}: "${property}" is not known yet`,
        ),
    });
  }

  return {
    fail,
    answered: () => answered,
    pending: () => pending,
    failure: () => failure,

    issue(command, what, line) {
      if (pending !== undefined) throw fail('command', line, tooEarly(what, line, pending));
      if (answered >= limits.commands) {
        throw fail('commands', line, `the flow asked for more than ${limits.commands} stages and waits`);
      }
      toJson(command, what, limits.commandBytes);
      const asked: Pending = { line, what, command, awaited: false, resolve: () => {} };
      pending = asked;
      return answerable(
        what,
        line,
        (resolve) => {
          asked.resolve = resolve;
        },
        () => {
          asked.awaited = true;
        },
      );
    },

    skip(name, what, line) {
      return answerable(
        what,
        line,
        (resolve) => resolve(skippedStage(name)),
        () => {},
      );
    },

    answer(answer) {
      const asked = pending;
      pending = undefined;
      answered += 1;
      const targets = asked?.command.kind === 'stage' ? asked.command.targets : [];
      asked?.resolve(answer.kind === 'stage' ? stageSummary(answer, targets) : undefined);
    },
  };
}

function tooEarly(what: string, line: number, pending: Pending): string {
  const forgotten = !pending.awaited && pending.line !== line;
  const hint = forgotten ? ` (is await missing on line ${pending.line}?)` : '';
  return `${what} was asked for while ${pending.what} of line ${pending.line} is under way; stages and waits run one at a time, so await each one before the next${hint}`;
}
