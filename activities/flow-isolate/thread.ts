import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { parentPort, workerData } from 'node:worker_threads';
import type { FlowCommand } from '../../shared/domain/flows/model.ts';
import { giveWayToOtherThreads, ownThreadId } from '../../shared/kernel/thread-time.ts';
import { FlowError, flowMessage, runTimeError } from './flow-error.ts';
import type { AdvanceRequest, ThreadReply, ThreadRequest, ThreadSetup } from './protocol.ts';
import { FlowIsolate, type FlowProgress, warmUp } from './runtime.ts';
import { Stretch } from './stretch.ts';

// The thread in which flows run. Its event loop may hang; that of the worker process must not.

/** An isolate that waits for its next answer, and what it has seen so far. */
interface KeptIsolate {
  isolate: FlowIsolate;
  /** Program, seed and context, as a digest. */
  origin: string;
  /** The answers consumed so far, as a digest, and their number. */
  history: string;
  consumed: number;
  progress: FlowProgress;
}

/** Milliseconds after a run's first step until the isolate for the next run is created; by then the first run measures. */
const SPARE_AFTER = 1000;

const { limits, stop }: ThreadSetup = workerData;
const threadId = ownThreadId();
/** Kept isolates, least recently advanced first. */
const kept = new Map<string, KeptIsolate>();
/** A prepared isolate, so that the next new run does not wait for its creation. */
let spare: FlowIsolate | undefined;
let makingSpare: NodeJS.Timeout | undefined;

useUtcAsLocalTime();
// Heartbeats and records of other runs have priority over computations of a flow.
giveWayToOtherThreads();
parentPort?.on('message', (text: string) => {
  const request: ThreadRequest = JSON.parse(text);
  if (request.kind === 'drop') forget(request.key);
  else void advance(request).then(send);
});
await warmUp(limits);
spare = await FlowIsolate.create(limits);
send({ kind: 'ready', threadId });

function send(reply: ThreadReply): void {
  parentPort?.postMessage(JSON.stringify(reply));
}

async function advance(request: AdvanceRequest): Promise<ThreadReply> {
  const { id } = request;
  try {
    const progress = await advanceTo(request);
    return { kind: 'done', id, advance: progress.advance, kept: [...kept.keys()] };
  } catch (error) {
    forget(request.key);
    const names = [...kept.keys()];
    if (error instanceof FlowError) {
      const { reason, message, line, entries } = error;
      if (reason === 'stopped') return { kind: 'stopped', id, kept: names };
      return { kind: 'failed', id, failure: { reason, message, line, entries }, kept: names };
    }
    return {
      kind: 'broken',
      id,
      message: error instanceof Error ? error.message : String(error),
      kept: names,
    };
  }
}

/** Advances the run's isolate to the state after the given answers: from the kept isolate, otherwise from the start. */
async function advanceTo(request: AdvanceRequest): Promise<FlowProgress> {
  const { id, key, program, answers } = request;
  const origin = digest(program, request.seed, request.context);
  let { spentMs } = request;
  /** Runs a step of the flow within the remaining processor time of the run. */
  const timed = (step: (stretch: Stretch) => FlowProgress): FlowProgress => {
    const left = limits.runMs - spentMs;
    const stretch = new Stretch(Math.min(limits.timeMs, left), threadId, () => Atomics.load(stop, 0) === id);
    try {
      return step(stretch);
    } catch (error) {
      const isOver = error instanceof FlowError && error.reason === 'time' && left < limits.timeMs;
      throw isOver ? runTimeError(program.flowName, limits, error) : error;
    } finally {
      spentMs += stretch.spentMs;
    }
  };
  let current = takeKeptIsolate(key, origin, request);
  if (current === undefined) {
    const isolate = spare ?? (await FlowIsolate.create(limits));
    spare = undefined;
    clearTimeout(makingSpare);
    makingSpare = setTimeout(makeSpare, SPARE_AFTER);
    send({ kind: 'running', id });
    const { seed, context } = request;
    const progress = timed((stretch) => isolate.start(program, seed, context, stretch));
    current = { isolate, origin, history: digest(), consumed: 0, progress };
  }
  kept.set(key, current);
  check(current.progress, request, current.consumed);

  const { isolate } = current;
  for (const [index, answer] of answers.entries()) {
    if (index < current.consumed) continue;
    send({ kind: 'running', id, line: current.progress.line });
    current.progress = timed((stretch) => isolate.answer(answer, stretch));
    current.history = digest(current.history, answer);
    current.consumed += 1;
    check(current.progress, request, current.consumed);
  }

  // A flow that has ended does not continue.
  if (current.progress.advance.kind === 'end') forget(key);
  for (const oldest of kept.keys()) {
    if (kept.size <= limits.kept && keptBytes() <= limits.keptBytes) break;
    forget(oldest);
  }
  return current.progress;
}

function makeSpare(): void {
  FlowIsolate.create(limits).then(
    (isolate) => {
      spare?.dispose();
      spare = isolate;
    },
    // Ignored: the next run creates its own isolate, and reports the error if that fails.
    () => undefined,
  );
}

function keptBytes(): number {
  return [...kept.values()].reduce((sum, { isolate }) => sum + isolate.memoryBytes, 0);
}

/** The kept isolate of a run, if its consumed answers are a prefix of the given ones. */
function takeKeptIsolate(key: string, origin: string, request: AdvanceRequest): KeptIsolate | undefined {
  const found = kept.get(key);
  if (found === undefined) return undefined;
  kept.delete(key);
  const history = request.answers
    .slice(0, found.consumed)
    .reduce<string>((so, one) => digest(so, one), digest());
  const sameAnswers = found.consumed <= request.answers.length && found.history === history;
  if (found.origin === origin && sameAnswers) return found;
  found.isolate.dispose();
  return undefined;
}

/** Checks that a command is the one that the run requested at this point before. */
function check(progress: FlowProgress, request: AdvanceRequest, index: number): void {
  const { program, issued, answers } = request;
  const before = issued[index];
  const { advance } = progress;
  const diverged = (what: string) => {
    const message = flowMessage(
      program.flowName,
      progress.line,
      `re-executed, ${what}; ${DIVERGENCE_ADVICE}`,
    );
    return new FlowError({ reason: 'diverged', line: progress.line, message, entries: advance.entries });
  };

  if (advance.kind === 'end') {
    if (before === undefined && index >= answers.length) return;
    throw diverged(`the flow ended where it had requested ${commandText(before)} before`);
  }
  if (before !== undefined && !isDeepStrictEqual(advance.command, before)) {
    throw diverged(
      `the flow asks for ${commandText(advance.command)} where it had requested ${commandText(before)} before`,
    );
  }
}

const DIVERGENCE_ADVICE =
  'a flow may choose only by its parameters, answers, Date and Math.random; mend the choice and start the run again';

function commandText(command: FlowCommand | undefined): string {
  switch (command?.kind) {
    case undefined:
      return 'another command';
    case 'stage': {
      const tasks = command.tasks.map((task) => task.name).join(', ');
      return `stage "${command.name}" (${tasks} on ${command.targets.length} targets)`;
    }
    case 'sleep':
      return `a wait of ${command.seconds} s`;
    case 'approval':
      return `the approval "${command.question}"`;
    case 'qubit_schedule':
      return `a ${command.mode} schedule of ${command.qids.length} qubits`;
    case 'pair_schedule':
      return `a schedule of pairs of ${command.candidates.length} qubits`;
    case 'values':
      return `the values of ${command.parameter} on ${command.targets.length} targets`;
    case 'maintenance':
      return `which of ${command.tasks.length} tasks hold on ${command.targets.length} targets`;
    case 'changes':
      return `what ${command.task} changed on ${command.targets.length} targets`;
    case 'checks':
      return `what checks of ${command.task} found on ${command.targets.length} targets`;
  }
}

function forget(key: string): void {
  kept.get(key)?.isolate.dispose();
  kept.delete(key);
}

function digest(...parts: unknown[]): string {
  return createHash('sha1').update(JSON.stringify(parts)).digest('base64');
}

/**
 * QuickJS uses this thread's Date for local time. A run may be recovered on a machine in another time zone, so local time
 * in this thread is UTC.
 */
function useUtcAsLocalTime(): void {
  const utc = Date.prototype;
  utc.getTimezoneOffset = () => 0;
  utc.getFullYear = utc.getUTCFullYear;
  utc.getMonth = utc.getUTCMonth;
  utc.getDate = utc.getUTCDate;
  utc.getDay = utc.getUTCDay;
  utc.getHours = utc.getUTCHours;
  utc.getMinutes = utc.getUTCMinutes;
  utc.getSeconds = utc.getUTCSeconds;
}
