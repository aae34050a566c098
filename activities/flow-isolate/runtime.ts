import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import {
  newQuickJSWASMModule,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  RELEASE_SYNC,
} from 'quickjs-emscripten';
import type { FlowAdvance, FlowEntry } from '../../shared/domain/flows/model.ts';
import { FLOW_LIMITS } from '../../shared/domain/flows/rules.ts';
import { ownThreadId } from '../../shared/kernel/thread-time.ts';
import { FlowError, flowMessage } from './flow-error.ts';
import { fromInside } from './from-inside.ts';
import { markLines } from './line-marks.ts';
import { explanation, type Outcome, outcome, recentEntries } from './outcome.ts';
import { PLANNER_FILE, plannerSource } from './planner-source.ts';
import type {
  FlowContext,
  FlowErrorReason,
  FlowProgram,
  FlowSeed,
  IsolateLimits,
  PlannerSetup,
  TimedAnswer,
} from './protocol.ts';
import { Stretch } from './stretch.ts';

/** Name of the flow's code in QuickJS stack traces. */
const FLOW_FILE = 'flow.ts';
const WASM_PAGE = 64 * 1024;
/** Initial memory of a QuickJS instance in bytes. */
const INITIAL_MEMORY = 16 * 1024 * 1024;
/** Memory grows by a fifth at a time. The slack above the limit leaves room to stop cleanly. */
const MEMORY_SLACK = 1.25;
/** Limit of the script's stack in bytes. The thread's own stack is larger, so that this limit is reached first. */
const SCRIPT_STACK = 128 * 1024;
/** Number of jobs between clock checks, because a loop of awaits never returns. */
const JOBS_AT_ONCE = 1000;
const LINE_MARK_BYTES = 32;
/** Time limit in milliseconds for collecting the messages of a stopped flow. */
const FINAL_ENTRIES_MS = 100;

/** State of a flow; `line` is where it requested the command or ended. */
export interface FlowProgress {
  advance: FlowAdvance;
  line: number;
}

const require = createRequire(import.meta.url);
let compiled: Promise<WebAssembly.Module> | undefined;

/**
 * One flow in its own QuickJS instance. QuickJS cannot enforce a memory limit here (its count ignores sizes), but
 * the memory of an instance can have a maximum. After an endless loop or exhausted memory, the whole instance is dropped,
 * regardless of its state.
 */
export class FlowIsolate {
  #flowName = '';
  readonly #limits: IsolateLimits;
  readonly #memory: WebAssembly.Memory;
  /** Address of the current statement's line in the memory. */
  #lineAddress: number | undefined;
  #lines = 0;
  readonly #runtime: QuickJSRuntime;
  readonly #context: QuickJSContext;
  /** The planner's factory and its line memory, until a flow is loaded. */
  #prepared: { createPlanner: QuickJSHandle; lineMark: QuickJSHandle } | undefined;
  #planner: QuickJSHandle | undefined;
  #answered = 0;
  #stretch: Stretch | undefined;
  #interrupted: { reason: 'time' | 'memory' | 'stopped'; line: number | undefined } | undefined;
  #broken = false;

  private constructor(limits: IsolateLimits, memory: WebAssembly.Memory, runtime: QuickJSRuntime) {
    this.#limits = limits;
    this.#memory = memory;
    this.#runtime = runtime;
    this.#context = runtime.newContext();
    runtime.setMaxStackSize(SCRIPT_STACK);
    runtime.setInterruptHandler(() => {
      this.#interruptIfOver();
      return this.#interrupted !== undefined;
    });
  }

  /** Creates an instance with the planner, but without a flow. */
  static async create(limits: IsolateLimits): Promise<FlowIsolate> {
    compiled ??= WebAssembly.compile(
      readFileSync(require.resolve('@jitl/quickjs-wasmfile-release-sync/wasm')),
    );
    const memory = new WebAssembly.Memory({
      initial: INITIAL_MEMORY / WASM_PAGE,
      maximum: Math.ceil((limits.memoryBytes * MEMORY_SLACK) / WASM_PAGE),
    });
    const variant = newVariant(RELEASE_SYNC, { wasmModule: await compiled, wasmMemory: memory });
    const quickjs = await newQuickJSWASMModule(variant);
    const isolate = new FlowIsolate(limits, memory, quickjs.newRuntime());
    isolate.#loadPlanner();
    return isolate;
  }

  /** Loads the flow and runs it to its first command or its end. */
  start(program: FlowProgram, seed: FlowSeed, context: FlowContext, stretch: Stretch): FlowProgress {
    return this.#guarded(() => {
      if (this.#prepared === undefined) throw new Error('an isolate has one flow');
      const { createPlanner, lineMark } = this.#prepared;
      this.#prepared = undefined;
      this.#flowName = program.flowName;
      const setup: PlannerSetup = { seed, context, flowFile: FLOW_FILE, limits: FLOW_LIMITS };
      this.#lines = program.javascript.split('\n').length;
      this.#planner = this.#withText(JSON.stringify(setup), (text) =>
        this.#value(this.#context.callFunction(createPlanner, this.#context.undefined, text, lineMark)),
      );
      lineMark.dispose();
      createPlanner.dispose();

      this.#stretch = stretch;
      const flow = this.#loadModule(markLines(program.javascript));
      const entry = this.#context.getProp(flow, program.functionName);
      flow.dispose();
      this.#withText(program.functionName, (name) => this.#call('begin', entry, name).dispose());
      entry.dispose();
      return this.#settle();
    });
  }

  /** Answers the pending command and runs the flow to the next one or to its end. */
  answer(answer: TimedAnswer, stretch: Stretch): FlowProgress {
    return this.#guarded(() => {
      this.#stretch = stretch;
      this.#withText(JSON.stringify(answer), (text) => this.#call('answer', text).dispose());
      this.#answered += 1;
      return this.#settle();
    });
  }

  /** Frees the memory. A broken instance is only dereferenced, because QuickJS would abort while disposing it. */
  dispose(): void {
    if (this.#broken) return;
    this.#broken = true;
    this.#prepared?.createPlanner.dispose();
    this.#prepared?.lineMark.dispose();
    this.#planner?.dispose();
    this.#context.dispose();
    this.#runtime.dispose();
  }

  get memoryBytes(): number {
    return this.#memory.buffer.byteLength;
  }

  #loadPlanner(): void {
    const inside = this.#value(this.#context.evalCode(plannerSource(), PLANNER_FILE, { type: 'module' }));
    const createPlanner = this.#context.getProp(inside, 'createPlanner');
    inside.dispose();
    this.#prepared = { createPlanner, lineMark: this.#newLineMark() };
  }

  /**
   * Creates the memory in which the flow writes the line of each statement. Its address is found by searching for its
   * initial content, because the library does not provide it.
   */
  #newLineMark(): QuickJSHandle {
    const start = randomBytes(LINE_MARK_BYTES);
    const mark = this.#context.newArrayBuffer(
      start.buffer.slice(start.byteOffset, start.byteOffset + start.length),
    );
    const address = Buffer.from(this.#memory.buffer).indexOf(start);
    if (address >= 0) this.#lineAddress = address;
    return mark;
  }

  #loadModule(code: string): QuickJSHandle {
    const loaded = this.#value(this.#context.evalCode(code, FLOW_FILE, { type: 'module' }));
    this.#runJobs();
    const state = this.#context.getPromiseState(loaded);
    if (state.type === 'rejected') throw this.#explained(state.error);
    if (state.type === 'pending') {
      throw this.#failure('stuck', this.#line(), 'await belongs inside the flow function');
    }
    if (!state.notAPromise) loaded.dispose();
    return state.value;
  }

  /** Runs all pending jobs and reads the state of the flow. */
  #settle(): FlowProgress {
    this.#runJobs();
    const text = this.#call('outcome').consume((handle) => this.#context.getString(handle));
    // The flow may have caught the error of an interruption.
    if (this.#interrupted !== undefined) throw this.#interruption();
    const at = this.#checked(text);
    switch (at.state) {
      case 'command':
        return {
          advance: {
            kind: 'command',
            index: at.index,
            line: at.line,
            command: at.command,
            entries: at.entries,
          },
          line: at.line,
        };
      case 'end':
        return {
          advance: {
            kind: 'end',
            value: at.value,
            ...(at.message === undefined ? {} : { message: at.message }),
            entries: at.entries,
          },
          line: at.line,
        };
      case 'failed':
        if (this.#isMemoryFull() || at.message.startsWith('InternalError: out of memory')) {
          throw this.#memoryFailure(at.line);
        }
        throw this.#failure(at.reason, at.line, at.message);
    }
  }

  /** Repeats the planner's checks, because a flow could have tampered with its output. */
  #checked(text: string): Outcome {
    const left = fromInside(text);
    if (left.problem !== null) {
      throw this.#failure('command', this.#line(), `what the flow hands out ${left.problem}`);
    }
    const checked = outcome.safeParse(left.value);
    if (!checked.success) {
      const why = checked.error.issues[0];
      const where = why?.path.join('.') || 'its answer';
      throw this.#failure('command', this.#line(), `this is not a valid command: ${where}: ${why?.message}`);
    }
    if (checked.data.state !== 'command') return checked.data;
    if (checked.data.index !== this.#answered || this.#answered >= FLOW_LIMITS.commands) {
      throw this.#failure('commands', this.#line(), 'commands must be numbered as they were requested');
    }
    return checked.data;
  }

  #runJobs(): void {
    while (this.#runtime.hasPendingJob()) {
      const done = this.#runtime.executePendingJobs(JOBS_AT_ONCE);
      if (done.error !== undefined) {
        const failure = this.#explained(done.error);
        done.error.dispose();
        throw failure;
      }
      this.#interruptIfOver();
      if (this.#interrupted !== undefined) throw this.#interruption();
    }
  }

  #call(method: string, ...args: QuickJSHandle[]): QuickJSHandle {
    if (this.#planner === undefined) throw new Error('the isolate has no flow yet');
    return this.#value(this.#context.callMethod(this.#planner, method, args));
  }

  #withText<T>(text: string, use: (handle: QuickJSHandle) => T): T {
    return this.#context.newString(text).consume(use);
  }

  #value(result: ReturnType<QuickJSContext['evalCode']>): QuickJSHandle {
    if (result.error === undefined) return result.value;
    const failure = this.#explained(result.error);
    result.error.dispose();
    throw failure;
  }

  /** Runs a step. After any failure, the instance must not be used again. */
  #guarded(step: () => FlowProgress): FlowProgress {
    try {
      return step();
    } catch (error) {
      this.#broken = true;
      if (error instanceof FlowError) throw error;
      if (error instanceof RangeError && /call stack/.test(error.message)) {
        throw this.#failure('thrown', this.#line(), 'functions call each other without end');
      }
      // QuickJS traps if memory is exhausted at a point that cannot report it.
      if (this.#isMemoryFull()) throw this.#memoryFailure(this.#line());
      if (this.#planner === undefined) throw error;
      // Any other failure of the JavaScript engine would happen again on a retry.
      const message = error instanceof Error ? error.message : String(error);
      throw this.#failure('thrown', this.#line(), `the script engine broke: ${message}`);
    } finally {
      this.#stretch = undefined;
    }
  }

  /** An error that QuickJS reports, with the flow's line. */
  #explained(error: QuickJSHandle): Error {
    if (this.#planner === undefined) {
      return new Error(`the session cannot be built: ${JSON.stringify(this.#context.dump(error))}`);
    }
    const explained = explanation.safeParse(this.#askPlanner('explain', [error]));
    if (this.#interrupted !== undefined) return this.#interruption();
    if (this.#isMemoryFull()) return this.#memoryFailure(this.#line());
    if (!explained.success) return this.#failure('thrown', this.#line(), 'an error that cannot be shown');
    return this.#failure('thrown', explained.data.line, explained.data.message);
  }

  /** Keeps interrupting once a limit is exceeded, so that a flow which catches one interruption gets the next. */
  #interruptIfOver(): void {
    if (this.#interrupted !== undefined) return;
    const reason = this.#isMemoryFull() ? 'memory' : this.#stretch?.end();
    if (reason) this.#interrupted = { reason, line: this.#line() };
  }

  #interruption(): FlowError {
    const line = this.#interrupted?.line;
    if (this.#interrupted?.reason === 'memory') return this.#memoryFailure(line);
    if (this.#interrupted?.reason === 'stopped') return this.#failure('stopped', line, 'the run was stopped');
    const limit = `${this.#limits.timeMs / 1000} s`;
    return this.#failure(
      'time',
      line,
      `the flow computed for more than ${limit} without asking for a stage or a wait; is this a loop without end?`,
    );
  }

  #memoryFailure(line: number | undefined): FlowError {
    const limit = `${Math.round(this.#limits.memoryBytes / 1024 / 1024)} MB`;
    return this.#failure(
      'memory',
      line,
      `the flow uses more than ${limit} of memory; does a list or text grow without end?`,
    );
  }

  #failure(reason: FlowErrorReason, line: number | undefined, message: string): FlowError {
    // Line 0 means that the flow has not reached its first statement.
    const known = line === 0 ? undefined : line;
    const text = flowMessage(this.#flowName, known, message);
    return new FlowError({ reason, line: known, message: text, entries: this.#recentEntries() });
  }

  /** Entries of the flow before it was stopped. */
  #recentEntries(): FlowEntry[] {
    // This must work after the time limit and with full memory, but a flow that has tampered with it must not block us.
    const look = new Stretch(FINAL_ENTRIES_MS, ownThreadId(), () => false);
    this.#runtime.setInterruptHandler(() => look.end() !== null);
    const entries = recentEntries.safeParse(this.#askPlanner('recentEntries', []));
    return entries.success ? entries.data : [];
  }

  /** Calls the planner about a failed flow. Undefined if the JavaScript engine can no longer answer. */
  #askPlanner(method: 'explain' | 'recentEntries', args: QuickJSHandle[]): unknown {
    if (this.#planner === undefined) return undefined;
    try {
      const result = this.#context.callMethod(this.#planner, method, args);
      if (result.error !== undefined) return undefined;
      return fromInside(result.value.consume((text) => this.#context.getString(text))).value;
    } catch {
      // The instance has trapped or is out of memory; the failure is described by what is known outside of it.
      return undefined;
    }
  }

  /** Reads the line without calling QuickJS, which may be busy or broken. */
  #line(): number | undefined {
    if (this.#lineAddress === undefined) return undefined;
    const line = new DataView(this.#memory.buffer).getInt32(this.#lineAddress, true);
    // The flow can write to this memory, too, so it may contain anything.
    return line >= 1 && line <= this.#lines ? line : undefined;
  }

  #isMemoryFull(): boolean {
    return this.#memory.buffer.byteLength >= this.#limits.memoryBytes;
  }
}

/** Loads modules in advance, so that the first flow does not wait for them. */
export async function warmUp(limits: IsolateLimits): Promise<void> {
  const isolate = await FlowIsolate.create(limits);
  const context = { chip_id: '', parameters: {}, qubits: [], muxes: {}, couplings: [] };
  const program = { javascript: 'export async function f() {}', functionName: 'f', flowName: 'warm-up' };
  const stretch = new Stretch(Number.POSITIVE_INFINITY, ownThreadId(), () => false);
  isolate.start(program, { randomSeed: '', startedAt: 0 }, context, stretch);
  isolate.dispose();
}
