import type { FlowAnswer, FlowEntry } from '../../../shared/domain/flows/model.ts';
import type { Outcome } from '../outcome.ts';
import type { PlannerSetup } from '../protocol.ts';
import { createCommands, type Failure } from './commands.ts';
import { makeGlobalsDeterministic } from './deterministic-globals.ts';
import { createEntries } from './entries.ts';
import { createLines } from './lines.ts';
import { createSession } from './session.ts';
import { describe, parse, stringify, toJson } from './values.ts';

const RealPromise = Promise;
const promiseThen = Promise.prototype.then;

type Settled = { ok: true; value: unknown } | { ok: false; error: unknown; line: number };
type OutcomeSoFar = Exclude<Outcome, { state: 'failed' }>;

/** Runs one flow. The host calls it with JSON texts, and reads the current line from `lineMemory`. */
export function createPlanner(setupJson: string, lineMemory: ArrayBuffer) {
  const setup: PlannerSetup = parse(setupJson);
  const { limits } = setup;
  const lines = createLines(setup.flowFile, lineMemory);
  const entries = createEntries(limits);
  const commands = createCommands(limits, lines);
  const session = createSession(setup, { commands, entries, lines });
  let now = setup.seed.startedAt;
  let settled: Settled | undefined;

  makeGlobalsDeterministic({
    randomSeed: setup.seed.randomSeed,
    now: () => now,
    log: entries.log,
    lines,
    onBareCall: watchBareCall,
  });

  /** Watches the promise of a call whose result is not used, because its rejection would otherwise go unnoticed. */
  function watchBareCall(value: unknown, line: number): void {
    if (!(value instanceof RealPromise)) return;
    const onError = (error: unknown) => {
      const hint = `the result was not awaited: await is missing on line ${line}`;
      commands.fail('thrown', lines.ofError(error) ?? line, `${describe(error)} (${hint})`);
    };
    Reflect.apply(promiseThen, value, [undefined, onError]);
  }

  /** Why the flow cannot continue; undefined if it can. */
  function failure(): Failure | undefined {
    const pending = commands.pending();
    const fatal = commands.failure();
    if (fatal !== undefined) return fatal;
    if (commands.ended() !== undefined && pending === undefined) return undefined;
    if (settled?.ok === false) {
      const line = lines.ofError(settled.error) ?? settled.line;
      const forgotten = pending !== undefined && !pending.call.awaited;
      const hint = forgotten
        ? ` (await is missing before ${pending.call.what} on line ${pending.call.line})`
        : '';
      return { reason: 'thrown', line, message: `${describe(settled.error)}${hint}` };
    }
    if (settled?.ok === true && pending !== undefined) {
      const { what, line, awaited } = pending.call;
      const advice = awaited
        ? 'a function that runs a stage must be awaited where it is called'
        : 'await is missing before it';
      return { reason: 'command', line, message: `the flow ended while ${what} was under way; ${advice}` };
    }
    if (settled === undefined && pending === undefined) {
      const message =
        'the flow waits for something that never happens; only calls of the session can be awaited';
      return { reason: 'stuck', line: lines.current(), message };
    }
    return undefined;
  }

  /** State of a flow that has not failed: its pending command, or its end. */
  function outcomeSoFar(recent: FlowEntry[]): OutcomeSoFar {
    const pending = commands.pending();
    if (pending !== undefined) {
      const { call, command } = pending;
      return { state: 'command', index: commands.answered(), line: call.line, command, entries: recent };
    }
    const message = commands.ended();
    if (message !== undefined) {
      return { state: 'end', line: lines.current(), value: null, message, entries: recent };
    }
    const value = settled?.ok === true ? settled.value : null;
    const json = toJson(value, 'the value that the flow returns', limits.valueBytes, limits.levels);
    return { state: 'end', line: lines.current(), value: parse(json), entries: recent };
  }

  return {
    /** Calls the flow's function. */
    begin(flow: unknown, functionName: string): void {
      if (typeof flow !== 'function') {
        commands.fail('thrown', 1, `the exported async function "${functionName}" is missing`);
        return;
      }
      const onEnd = (value: unknown) => {
        settled = { ok: true, value };
      };
      const onError = (error: unknown) => {
        settled = { ok: false, error, line: lines.current() };
      };
      const ending = new RealPromise((resolve) => resolve(Reflect.apply(flow, undefined, [session])));
      Reflect.apply(promiseThen, ending, [onEnd, onError]);
    },

    /** Answers the pending command. */
    answer(json: string): void {
      const { at, answer }: { at: number; answer: FlowAnswer } = parse(json);
      if (at > now) now = at;
      entries.nextCommand();
      commands.answer(answer);
    },

    /** State of the flow, as JSON. */
    outcome(): string {
      const recent = entries.recent();
      const failed = failure();
      if (failed !== undefined) return stringify({ state: 'failed', ...failed, entries: recent });
      try {
        return stringify(outcomeSoFar(recent));
      } catch (error) {
        const line = lines.current();
        const message = describe(error);
        return stringify({ state: 'failed', reason: 'thrown', line, message, entries: recent });
      }
    },

    /** Text and line of an error that QuickJS itself reports. */
    explain(error: unknown): string {
      return stringify({ line: lines.ofError(error) ?? lines.current(), message: describe(error) });
    },

    /** Entries of the flow since its previous command. */
    recentEntries: () => stringify(entries.recent()),
  };
}
