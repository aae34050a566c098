// This file runs inside the isolate, before the flow. Its types are stripped and nothing can be imported. It
// talks to the host by JSON texts and holds no object of the host. What the flow does to the built-in objects
// can harm the flow only: the host checks each command again.

import type {
  FlowAnswer,
  FlowCommand,
  FlowEntry,
  JsonValue,
  StageAnswer,
  StageCounts,
  StageFailure,
  StageTask,
} from '../../shared/flows/model.ts';
import type { Outcome } from './outcome.ts';
import type { FlowContext, FlowSeed } from './protocol.ts';

type FailureReason = Extract<Outcome, { state: 'failed' }>['reason'];

/** What the host gives to begin with, as JSON. */
export interface PlannerSetup {
  seed: FlowSeed;
  context: FlowContext;
  flowFile: string;
  limits: {
    commands: number;
    commandBytes: number;
    messageCharacters: number;
    valueBytes: number;
    entries: number;
    sleepSeconds: number;
  };
}

interface StageSummary {
  name: string;
  status: StageAnswer['status'];
  counts: StageCounts;
  passed: string[];
  failed: string[];
  failures: StageFailure[];
  truncated: boolean;
}

interface Pending {
  line: number;
  what: string;
  /** The stage's targets, to tell those that did not pass. */
  targets: string[];
  command: FlowCommand;
  awaited: boolean;
  resolve: (value: StageSummary | undefined) => void;
}

/** `lineBuffer` is memory that the host reads at any time: the line of the statement under way. */
export function createPlanner(setupJson: string, lineBuffer: ArrayBuffer) {
  // Kept before the flow can replace them.
  const { stringify, parse: parseJson } = JSON;
  const { freeze, keys, defineProperty, getOwnPropertyNames } = Object;
  const RealDate = Date;
  const RealPromise = Promise;
  const promiseThen = Promise.prototype.then;
  const isArray = Array.isArray;

  const setup: PlannerSetup = parseJson(setupJson);
  const { context, limits } = setup;
  const knownTargets = new Set([...context.qubits, ...context.couplings]);
  const framePattern = new RegExp(`${setup.flowFile.replaceAll('.', '\\.')}:(\\d+)`);
  const lineMark = new Int32Array(lineBuffer).fill(0);

  let now = setup.seed.startedAt;
  let issued = 0;
  let entryCount = 0;
  let entries: FlowEntry[] = [];
  let pending: Pending | undefined;
  let fatal: { reason: FailureReason; line: number; message: string } | undefined;
  let settled: { ok: true; value: unknown } | { ok: false; error: unknown; line: number } | undefined;

  // ---- lines and values

  function frameLine(stack: unknown): number | undefined {
    if (typeof stack !== 'string') return undefined;
    const line = framePattern.exec(stack)?.[1];
    return line === undefined ? undefined : Number(line);
  }

  /** The flow's line that called into the session. */
  function callerLine(): number {
    return frameLine(new Error().stack) ?? lineMark[0] ?? 0;
  }

  function fail(reason: FailureReason, line: number, message: string): Error {
    fatal ??= { reason, line, message };
    return new Error(message);
  }

  function bytes(text: string): number {
    let count = 0;
    for (const character of text) {
      const code = character.codePointAt(0) ?? 0;
      count += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    }
    return count;
  }

  /** A value as the JSON that leaves the isolate. */
  function toJson(value: unknown, what: string, limit: number): string {
    let text: string | undefined;
    try {
      text = stringify(value === undefined ? null : value);
    } catch (error) {
      throw new TypeError(`${what} cannot be written as JSON: ${describe(error)}`);
    }
    if (text === undefined) throw new TypeError(`${what} cannot be written as JSON: it is a ${typeof value}`);
    // A character is one byte at least, so a huge text is refused without being counted.
    const size = text.length > limit ? text.length : bytes(text);
    if (size > limit) throw new RangeError(`${what} has ${size} bytes as JSON; ${limit} are allowed`);
    return text;
  }

  function shorten(text: string, limit: number): string {
    if (text.length <= limit) return text;
    const cut = text.slice(0, limit - 1);
    return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}…`;
  }

  function show(value: unknown): string {
    if (typeof value === 'string') return value;
    if (value instanceof Error) return describe(value);
    if (typeof value === 'function') return `function ${value.name}`;
    if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'symbol')
      return String(value);
    try {
      return stringify(value) ?? String(value);
    } catch {
      return '[a value that is no JSON]';
    }
  }

  /** `TypeError: not a function`; a plain Error is told by its message alone. */
  function describe(error: unknown): string {
    if (!(error instanceof Error)) return show(error);
    const { name, message } = error;
    return name === 'Error' && message !== '' ? String(message) : `${name}: ${message}`;
  }

  function deepFreeze(value: unknown): void {
    if (typeof value !== 'object' || value === null) return;
    for (const part of Object.values(value)) deepFreeze(part);
    freeze(value);
  }

  /** Watches the promise of a call that stands alone: nobody else would hear of its failure. */
  function watchAlone(value: unknown, line: number): void {
    if (!(value instanceof RealPromise)) return;
    const onError = (error: unknown) => {
      const at = (error instanceof Error ? frameLine(error.stack) : undefined) ?? line;
      fail('thrown', at, `${describe(error)} (nobody waited for this: await is missing on line ${line})`);
    };
    Reflect.apply(promiseThen, value, [undefined, onError]);
  }

  // ---- a world that is the same each time

  function sameWorldEachTime(): void {
    const fixed = (target: object, name: string, value: unknown) =>
      defineProperty(target, name, { value, writable: true, configurable: true, enumerable: false });

    /** Date as the language has it, except that "now" is the time of the latest answer. */
    function FlowDate(this: unknown, ...parts: unknown[]) {
      if (new.target === undefined) return new RealDate(now).toString();
      return Reflect.construct(RealDate, parts.length === 0 ? [now] : parts, new.target);
    }
    fixed(FlowDate, 'name', 'Date');
    fixed(FlowDate, 'now', () => now);
    fixed(FlowDate, 'UTC', RealDate.UTC);
    fixed(FlowDate, 'parse', RealDate.parse);
    fixed(RealDate.prototype, 'constructor', FlowDate);
    FlowDate.prototype = RealDate.prototype;
    fixed(globalThis, 'Date', FlowDate);

    const random = randomNumbers(setup.seed.randomSeed);
    fixed(Math, 'random', () => random());

    // When memory is collected is nobody's business, and there are no threads to share with.
    for (const name of ['WeakRef', 'FinalizationRegistry', 'SharedArrayBuffer', 'Atomics', 'performance']) {
      Reflect.deleteProperty(globalThis, name);
    }
    const log = (...parts: unknown[]) => session.log(...parts);
    fixed(globalThis, 'console', freeze({ log, info: log, warn: log, error: log, debug: log }));
    defineProperty(globalThis, 'calibron$line', { value: lineMark });
    defineProperty(globalThis, 'calibron$alone', { value: watchAlone });
  }

  /** sfc32, seeded with a hash (xmur3) of the text. */
  function randomNumbers(seed: string): () => number {
    let hash = 1779033703 ^ seed.length;
    for (let i = 0; i < seed.length; i += 1) {
      hash = Math.imul(hash ^ seed.charCodeAt(i), 3432918353);
      hash = (hash << 13) | (hash >>> 19);
    }
    const next = () => {
      hash = Math.imul(hash ^ (hash >>> 16), 2246822507);
      hash = Math.imul(hash ^ (hash >>> 13), 3266489909);
      hash ^= hash >>> 16;
      return hash >>> 0;
    };
    let [a, b, c, d] = [next(), next(), next(), next()];
    return () => {
      const t = (((a + b) | 0) + d) | 0;
      d = (d + 1) | 0;
      a = b ^ (b >>> 9);
      b = (c + (c << 3)) | 0;
      c = (c << 21) | (c >>> 11);
      c = (c + t) | 0;
      return (t >>> 0) / 4294967296;
    };
  }

  // ---- what the flow can ask for

  function idList(value: unknown, call: string, example: string): string[] {
    if (!isArray(value)) {
      throw new TypeError(`${call} takes a list of ids, such as ${example}, but got ${show(value)}`);
    }
    return value.map((id: unknown) => {
      if (typeof id !== 'string' && typeof id !== 'number') {
        throw new TypeError(`${call} takes a list of ids, but ${show(id)} is none`);
      }
      return String(id);
    });
  }

  function unique(ids: string[]): string[] {
    return [...new Set(ids)];
  }

  function listed(ids: string[]): string {
    return ids.length <= 8 ? ids.join(', ') : `${ids.slice(0, 3).join(', ')} … ${ids[ids.length - 1]}`;
  }

  const targets = freeze({
    all: () => [...context.qubits],
    qubits(ids: unknown): string[] {
      const wanted = idList(ids, 'session.targets.qubits', "['0', '1']");
      for (const id of wanted) {
        if (context.qubits.includes(id)) continue;
        throw new RangeError(
          `unknown qubit "${id}"; chip "${context.chip_id}" has ${listed(context.qubits)}`,
        );
      }
      return unique(wanted);
    },
    muxes(ids: unknown): string[] {
      const wanted = idList(ids, 'session.targets.muxes', '[0, 1]');
      return unique(
        wanted.flatMap((id) => {
          const qubits = Object.hasOwn(context.muxes, id) ? context.muxes[id] : undefined;
          if (qubits !== undefined) return qubits;
          const known = listed(keys(context.muxes));
          throw new RangeError(`unknown mux "${id}"; chip "${context.chip_id}" has ${known || 'none'}`);
        }),
      );
    },
  });

  function stageTasks(value: unknown): StageTask[] {
    if (!isArray(value) || value.length === 0) {
      throw new TypeError(`session.run: tasks must be a list of task names, but got ${show(value)}`);
    }
    return value.map((task: unknown) => {
      if (typeof task === 'string' && task !== '') return { name: task };
      if (typeof task !== 'object' || task === null || !('name' in task) || typeof task.name !== 'string') {
        throw new TypeError(`session.run: a task is a name or { name, run_parameters }, not ${show(task)}`);
      }
      refuseOthers(task, ['name', 'run_parameters'], 'a task of session.run');
      if (!('run_parameters' in task) || task.run_parameters === undefined) return { name: task.name };
      return { name: task.name, run_parameters: runParameters(task.name, task.run_parameters) };
    });
  }

  function runParameters(task: string, value: unknown): NonNullable<StageTask['run_parameters']> {
    if (typeof value !== 'object' || value === null || isArray(value)) {
      throw new TypeError(`session.run: run_parameters of ${task} must be an object, not ${show(value)}`);
    }
    const parameters: NonNullable<StageTask['run_parameters']> = {};
    for (const [name, given] of Object.entries(value)) {
      const bare: unknown =
        typeof given === 'object' && given !== null && 'value' in given ? given.value : given;
      const isOne = typeof bare === 'string' || typeof bare === 'boolean' || Number.isFinite(bare);
      const isList =
        isArray(bare) && bare.every((part: unknown) => typeof part === 'string' || Number.isFinite(part));
      if (!isOne && !isList) {
        throw new TypeError(
          `session.run: run parameter ${name} of ${task} must be a number, a text, true, false or a list, not ${show(bare)}`,
        );
      }
      // The command leaves as JSON, so the host sees exactly what was checked here.
      parameters[name] = parseJson(stringify({ value: bare }));
    }
    return parameters;
  }

  function refuseOthers(value: object, known: string[], where: string): void {
    for (const key of keys(value)) {
      if (!known.includes(key)) {
        throw new TypeError(`${where} does not know "${key}"; it takes ${known.join(', ')}`);
      }
    }
  }

  /**
   * Hands a command to the host. What comes back can be awaited; any other use of it says that await is
   * missing, instead of "cannot read property of undefined".
   */
  function issue(command: FlowCommand, what: string, line: number): PromiseLike<StageSummary | undefined> {
    if (pending !== undefined) {
      const forgotten = !pending.awaited && pending.line !== line;
      throw fail(
        'command',
        line,
        `${what} was asked for while ${pending.what} of line ${pending.line} is under way; stages and waits run one at a time, so await each one before the next${forgotten ? ` (is await missing on line ${pending.line}?)` : ''}`,
      );
    }
    if (issued >= limits.commands) {
      throw fail('commands', line, `the flow asked for more than ${limits.commands} stages and waits`);
    }
    toJson(command, what, limits.commandBytes);
    const list = command.kind === 'stage' ? command.targets : [];
    return new Answerable(what, line, (resolve) => {
      const asked: Pending = { line, what, targets: list, command, awaited: false, resolve };
      pending = asked;
      return () => {
        asked.awaited = true;
      };
    });
  }

  class Answerable implements PromiseLike<StageSummary | undefined> {
    readonly #promise: Promise<StageSummary | undefined>;
    #awaited: () => void = () => {};

    constructor(
      what: string,
      line: number,
      start: (resolve: (value: StageSummary | undefined) => void) => () => void,
    ) {
      this.#promise = new RealPromise((resolve) => {
        this.#awaited = start(resolve);
      });
      for (const name of ['name', 'status', 'counts', 'passed', 'failed', 'failures', 'truncated']) {
        const get = () => {
          const used = callerLine();
          throw fail(
            'command',
            used,
            `await is missing before ${what} on line ${line}: "${name}" is not known yet`,
          );
        };
        defineProperty(this, name, { get });
      }
      freeze(this);
    }

    // biome-ignore lint/suspicious/noThenProperty: being awaited is what it is for
    then<A, B>(
      onAnswer?: ((value: StageSummary | undefined) => A | PromiseLike<A>) | null,
      onError?: ((reason: unknown) => B | PromiseLike<B>) | null,
    ): Promise<A | B> {
      this.#awaited();
      return Reflect.apply(promiseThen, this.#promise, [onAnswer, onError]);
    }

    catch<B>(onError?: ((reason: unknown) => B | PromiseLike<B>) | null) {
      return this.then((value) => value, onError);
    }

    finally(onEnd?: (() => void) | null) {
      return this.then((value) => {
        onEnd?.();
        return value;
      });
    }
  }
  freeze(Answerable.prototype);

  const session = freeze({
    chip: context.chip_id,
    parameters: context.parameters,
    targets,

    run(stage: unknown): PromiseLike<StageSummary | undefined> {
      const line = callerLine();
      if (typeof stage !== 'object' || stage === null) {
        throw new TypeError('session.run takes one object: { name, tasks, targets }');
      }
      refuseOthers(stage, ['name', 'tasks', 'targets', 'parallel'], 'session.run');
      const name = 'name' in stage ? stage.name : undefined;
      if (typeof name !== 'string' || name === '' || name.length > 100) {
        throw new TypeError(`session.run: name must be a text of 1 to 100 characters, but got ${show(name)}`);
      }
      const tasks = stageTasks('tasks' in stage ? stage.tasks : undefined);
      const chosen = idList(
        'targets' in stage ? stage.targets : undefined,
        'session.run: targets',
        'session.targets.all()',
      );
      for (const id of chosen) {
        if (!knownTargets.has(id)) {
          throw new RangeError(
            `unknown target "${id}"; chip "${context.chip_id}" has ${listed(context.qubits)}`,
          );
        }
      }
      const command: FlowCommand = { kind: 'stage', name, tasks, targets: unique(chosen) };
      const parallel = 'parallel' in stage ? stage.parallel : undefined;
      if (parallel !== undefined) {
        if (typeof parallel !== 'number' || !Number.isSafeInteger(parallel) || parallel < 1) {
          throw new RangeError(`session.run: parallel must be 1 or more, but got ${show(parallel)}`);
        }
        command.parallel = parallel;
      }
      const what = `stage "${name}"`;
      if (command.targets.length > 0) return issue(command, what, line);
      session.log(`${what} has no targets and is not run`);
      return new Answerable(what, line, (resolve) => {
        resolve(skippedStage(name));
        return () => {};
      });
    },

    sleep(seconds: unknown): PromiseLike<StageSummary | undefined> {
      const line = callerLine();
      if (typeof seconds !== 'number' || !(seconds >= 0 && seconds <= limits.sleepSeconds)) {
        throw new RangeError(
          `session.sleep takes seconds from 0 to ${limits.sleepSeconds}, but got ${show(seconds)}`,
        );
      }
      return issue({ kind: 'sleep', seconds }, `the wait of ${seconds} s`, line);
    },

    log(...parts: unknown[]): void {
      if (entryCount >= limits.entries) return;
      const last = entryCount === limits.entries - 1;
      const message = last ? 'later messages of this run are not kept' : parts.map(show).join(' ');
      entries.push({ kind: 'log', index: entryCount, message: shorten(message, limits.messageCharacters) });
      entryCount += 1;
    },

    record(name: unknown, value: unknown): void {
      if (typeof name !== 'string' || name === '' || name.length > 100) {
        throw new TypeError(
          `session.record: name must be a text of 1 to 100 characters, but got ${show(name)}`,
        );
      }
      // The last place is the log's, to say that messages are missing.
      if (entryCount >= limits.entries - 1) {
        throw new RangeError(`session.record: a run keeps at most ${limits.entries} messages and values`);
      }
      const kept: JsonValue = parseJson(
        toJson(value, `session.record: the value "${name}"`, limits.valueBytes),
      );
      entries.push({ kind: 'record', index: entryCount, name, value: kept });
      entryCount += 1;
    },
  });

  function skippedStage(name: string): StageSummary {
    const counts = { completed: 0, failed: 0, skipped: 0, cancelled: 0, total: 0 };
    return { name, status: 'skipped', counts, passed: [], failed: [], failures: [], truncated: false };
  }

  function summary(answer: StageAnswer, stageTargets: string[]): StageSummary {
    const passed = new Set(answer.passed);
    return {
      name: answer.name,
      status: answer.status,
      counts: answer.counts,
      passed: [...answer.passed],
      failed: stageTargets.filter((id) => !passed.has(id)),
      failures: answer.failed,
      truncated: answer.truncated === true,
    };
  }

  deepFreeze(context.parameters);
  for (const name of getOwnPropertyNames(session)) freeze(Reflect.get(session, name));
  sameWorldEachTime();

  // ---- what the host does

  function failure(): Omit<Outcome & { state: 'failed' }, 'entries'> | undefined {
    if (fatal !== undefined) return { state: 'failed', ...fatal };
    if (settled?.ok === false) {
      const { error } = settled;
      const line = (error instanceof Error ? frameLine(error.stack) : undefined) ?? settled.line;
      const hint =
        pending !== undefined && !pending.awaited
          ? ` (await is missing before ${pending.what} on line ${pending.line})`
          : '';
      return { state: 'failed', reason: 'thrown', line, message: `${describe(error)}${hint}` };
    }
    if (settled?.ok === true && pending !== undefined) {
      const cure = pending.awaited
        ? 'a function that runs a stage must be awaited where it is called'
        : 'await is missing before it';
      return {
        state: 'failed',
        reason: 'command',
        line: pending.line,
        message: `the flow ended while ${pending.what} was under way; ${cure}`,
      };
    }
    if (settled === undefined && pending === undefined) {
      return {
        state: 'failed',
        reason: 'stuck',
        line: lineMark[0] ?? 0,
        message:
          'the flow waits for something that never comes; only session.run and session.sleep can be waited for',
      };
    }
    return undefined;
  }

  function stand():
    | Omit<Outcome & { state: 'command' }, 'entries'>
    | Omit<Outcome & { state: 'end' }, 'entries'> {
    if (pending !== undefined) {
      return { state: 'command', index: issued, line: pending.line, command: pending.command };
    }
    const value = settled?.ok === true ? settled.value : null;
    const json = toJson(value, 'the value that the flow returns', limits.valueBytes);
    return { state: 'end', line: lineMark[0] ?? 0, value: parseJson(json) };
  }

  return {
    /** Calls the flow's function. */
    begin(flow: unknown, functionName: string): void {
      if (typeof flow !== 'function') {
        fail('thrown', 1, `the exported async function "${functionName}" is missing`);
        return;
      }
      new RealPromise((resolve) => resolve(Reflect.apply(flow, undefined, [session]))).then(
        (value) => {
          settled = { ok: true, value };
        },
        (error: unknown) => {
          settled = { ok: false, error, line: lineMark[0] ?? 0 };
        },
      );
    },

    /** Answers the pending command. */
    answer(json: string): void {
      const { at, answer }: { at: number; answer: FlowAnswer } = parseJson(json);
      const answered = pending;
      pending = undefined;
      entries = [];
      issued += 1;
      if (at > now) now = at;
      answered?.resolve(answer.kind === 'stage' ? summary(answer, answered.targets) : undefined);
    },

    /** Where the flow stands, as JSON. */
    outcome(): string {
      const failed = failure();
      if (failed !== undefined) return stringify({ ...failed, entries });
      try {
        return stringify({ ...stand(), entries });
      } catch (error) {
        const line = lineMark[0] ?? 0;
        return stringify({ state: 'failed', reason: 'thrown', line, message: describe(error), entries });
      }
    },

    /** Text and line of an error that QuickJS itself reports. */
    explain(error: unknown): string {
      const line = (error instanceof Error ? frameLine(error.stack) : undefined) ?? lineMark[0] ?? 0;
      return stringify({ line, message: describe(error) });
    },

    /** What the flow said since its previous command. */
    said: () => stringify(entries),
  };
}
