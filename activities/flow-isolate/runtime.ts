import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { transformSync } from '@swc/wasm-typescript';
import {
  newQuickJSWASMModule,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  RELEASE_SYNC,
} from 'quickjs-emscripten';
import { FLOW_LIMITS } from '../../shared/flows/limits.ts';
import type { FlowAdvance, FlowEntry } from '../../shared/flows/model.ts';
import { FlowError, flowMessage } from './flow-error.ts';
import type { Outcome, PlannerSetup } from './inside.ts';
import { markLines } from './line-marks.ts';
import type {
  FlowContext,
  FlowErrorReason,
  FlowProgram,
  FlowSeed,
  IsolateLimits,
  TimedAnswer,
} from './protocol.ts';

/** Name of the flow's code in QuickJS stacks. */
const FLOW_FILE = 'flow.ts';
const WASM_PAGE = 64 * 1024;
/** What a QuickJS instance has from its start. */
const INITIAL_MEMORY = 16 * 1024 * 1024;
/** Memory grows by a fifth at a time; above the limit there is room to stop in good order. */
const MEMORY_SLACK = 1.25;
/** Bytes of script stack; the thread's own stack is sized so that this limit is met first. */
const SCRIPT_STACK = 128 * 1024;
/** Jobs between two looks at the clock: a loop of awaits never comes back by itself. */
const JOBS_AT_ONCE = 1000;
const LINE_MARK_BYTES = 32;

/** Where a flow stands; `line` is where it asked for the command or ended. */
export interface Step {
  advance: FlowAdvance;
  line: number;
}

const require = createRequire(import.meta.url);
let compiled: Promise<WebAssembly.Module> | undefined;
let insideSource: string | undefined;

/**
 * One flow in its own QuickJS instance. An instance each, because QuickJS cannot hold an isolate to a memory
 * limit by itself here (its count ignores sizes), but the instance's memory can have a maximum; and after a
 * loop or exhausted memory the whole instance is dropped, whatever state it is in.
 */
export class FlowIsolate {
  readonly #flowName: string;
  readonly #limits: IsolateLimits;
  readonly #memory: WebAssembly.Memory;
  /** Where the line of the statement under way stands in the memory. */
  #lineAddress: number | undefined;
  #lines = 0;
  readonly #runtime: QuickJSRuntime;
  readonly #context: QuickJSContext;
  #planner: QuickJSHandle | undefined;
  #deadline = Number.POSITIVE_INFINITY;
  #interrupted: { reason: 'time' | 'memory'; line: number | undefined } | undefined;
  #broken = false;

  private constructor(
    flowName: string,
    limits: IsolateLimits,
    memory: WebAssembly.Memory,
    runtime: QuickJSRuntime,
  ) {
    this.#flowName = flowName;
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

  static async create(flowName: string, limits: IsolateLimits): Promise<FlowIsolate> {
    compiled ??= WebAssembly.compile(
      readFileSync(require.resolve('@jitl/quickjs-wasmfile-release-sync/wasm')),
    );
    const memory = new WebAssembly.Memory({
      initial: INITIAL_MEMORY / WASM_PAGE,
      maximum: Math.ceil((limits.memoryBytes * MEMORY_SLACK) / WASM_PAGE),
    });
    const variant = newVariant(RELEASE_SYNC, { wasmModule: await compiled, wasmMemory: memory });
    const quickjs = await newQuickJSWASMModule(variant);
    return new FlowIsolate(flowName, limits, memory, quickjs.newRuntime());
  }

  /** Loads the flow and runs it to its first command or its end. */
  start(program: FlowProgram, seed: FlowSeed, context: FlowContext): Step {
    return this.#guarded(() => {
      const { tasks: _, ...visible } = context;
      const setup: PlannerSetup = { seed, context: visible, flowFile: FLOW_FILE, limits: FLOW_LIMITS };
      const inside = this.#value(this.#context.evalCode(insideCode(), 'calibron.ts', { type: 'module' }));
      const createPlanner = this.#context.getProp(inside, 'createPlanner');
      const mark = this.#newLineMark();
      this.#lines = program.javascript.split('\n').length;
      this.#planner = this.#withText(JSON.stringify(setup), (text) =>
        this.#value(this.#context.callFunction(createPlanner, this.#context.undefined, text, mark)),
      );
      mark.dispose();
      createPlanner.dispose();
      inside.dispose();

      this.#deadline = performance.now() + this.#limits.timeMs;
      const flow = this.#loadModule(markLines(program.javascript));
      const entry = this.#context.getProp(flow, program.functionName);
      flow.dispose();
      this.#withText(program.functionName, (name) => this.#call('begin', entry, name).dispose());
      entry.dispose();
      return this.#settle();
    });
  }

  /** Answers the pending command and runs the flow to the next one or to its end. */
  answer(answer: TimedAnswer): Step {
    return this.#guarded(() => {
      this.#deadline = performance.now() + this.#limits.timeMs;
      this.#withText(JSON.stringify(answer), (text) => this.#call('answer', text).dispose());
      return this.#settle();
    });
  }

  /** Gives the memory back. A broken instance is only let go: QuickJS would abort over its remains. */
  dispose(): void {
    if (this.#broken) return;
    this.#broken = true;
    this.#planner?.dispose();
    this.#context.dispose();
    this.#runtime.dispose();
  }

  get memoryBytes(): number {
    return this.#memory.buffer.byteLength;
  }

  /**
   * Memory in which the flow notes the line of each statement. Where it lies is found by what is written there
   * to begin with, since the library does not tell.
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
      throw this.#failure('stuck', this.#line(), 'await belongs into the flow function');
    }
    if (!state.notAPromise) loaded.dispose();
    return state.value;
  }

  /** Runs what is left to run and reads where the flow stands. */
  #settle(): Step {
    this.#runJobs();
    const outcome: Outcome = JSON.parse(this.#text('outcome'));
    // The flow may have swallowed the error of an interruption.
    if (this.#interrupted !== undefined) throw this.#interruption();
    switch (outcome.state) {
      case 'command': {
        const { index, command, entries, line } = outcome;
        return { advance: { kind: 'command', index, line, command, entries }, line };
      }
      case 'end':
        return {
          advance: { kind: 'end', value: outcome.value, entries: outcome.entries },
          line: outcome.line,
        };
      case 'failed':
        if (this.#isMemoryFull() || outcome.message.startsWith('InternalError: out of memory')) {
          throw this.#memoryFailure(outcome.line);
        }
        throw this.#failure(outcome.reason, outcome.line, outcome.message);
    }
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

  #text(method: string, ...args: QuickJSHandle[]): string {
    return this.#call(method, ...args).consume((text) => this.#context.getString(text));
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

  /** Any failure of a step leaves the instance in a state that nobody should go on with. */
  #guarded(step: () => Step): Step {
    try {
      return step();
    } catch (error) {
      this.#broken = true;
      if (error instanceof FlowError) throw error;
      if (error instanceof RangeError && /call stack/.test(error.message)) {
        throw this.#failure('thrown', undefined, 'functions call each other without end');
      }
      // QuickJS traps where it meets exhausted memory at a place that cannot report it.
      if (this.#isMemoryFull()) throw this.#memoryFailure(undefined);
      throw error;
    } finally {
      this.#deadline = Number.POSITIVE_INFINITY;
    }
  }

  /** An error that QuickJS reports, with the flow's line. */
  #explained(error: QuickJSHandle): Error {
    if (this.#interrupted !== undefined) return this.#interruption();
    if (this.#planner === undefined) {
      return new Error(`the session cannot be built: ${JSON.stringify(this.#context.dump(error))}`);
    }
    if (this.#isMemoryFull()) return this.#memoryFailure(this.#line());
    const { line, message }: { line: number; message: string } = JSON.parse(this.#text('explain', error));
    return this.#failure('thrown', line, message);
  }

  /** Once over a limit, always over it: a flow that catches the first interruption meets the next. */
  #interruptIfOver(): void {
    if (this.#interrupted !== undefined) return;
    if (this.#isMemoryFull()) this.#interrupted = { reason: 'memory', line: this.#line() };
    else if (performance.now() > this.#deadline) this.#interrupted = { reason: 'time', line: this.#line() };
  }

  #interruption(): FlowError {
    const line = this.#interrupted?.line;
    if (this.#interrupted?.reason === 'memory') return this.#memoryFailure(line);
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
    // Line 0 is a flow that has not reached its first statement.
    const known = line === 0 ? undefined : line;
    const text = flowMessage(this.#flowName, known, message);
    return new FlowError({ reason, line: known, message: text, entries: this.#said() });
  }

  /** What the flow said before it was stopped. The clock must not stop this; exhausted memory may. */
  #said(): FlowEntry[] {
    if (this.#planner === undefined) return [];
    this.#runtime.removeInterruptHandler();
    try {
      return JSON.parse(this.#text('said'));
    } catch {
      // A trapped instance answers nothing more; the failure is told without its messages.
      return [];
    }
  }

  /** Read without asking QuickJS, which may be in the middle of something or broken. */
  #line(): number | undefined {
    if (this.#lineAddress === undefined) return undefined;
    const line = new DataView(this.#memory.buffer).getInt32(this.#lineAddress, true);
    // The mark is the flow's memory too: anything may have been written there.
    return line >= 1 && line <= this.#lines ? line : undefined;
  }

  #isMemoryFull(): boolean {
    return this.#memory.buffer.byteLength >= this.#limits.memoryBytes;
  }
}

/** `inside.ts` as JavaScript, read and stripped once a thread. */
function insideCode(): string {
  insideSource ??= transformSync(readFileSync(new URL('./inside.ts', import.meta.url), 'utf8'), {
    mode: 'strip-only',
    module: true,
  }).code;
  return insideSource;
}
