import type { StageSchedule } from '../../../shared/domain/flows/model.ts';
import type { FlowContext } from '../protocol.ts';
import { ask, type Procedure } from './commands.ts';
import { flagOption, readOptions, textOption } from './options.ts';
import { scheduleOf } from './pair-schedule.ts';
import {
  inputOffsets,
  narrowed,
  orderOptions,
  type QubitOrder,
  runParameters,
  type StageRequest,
  stageRequest,
  stageTasks,
} from './stage-request.ts';
import { type StageSummary, skippedStage, stageSummary } from './stage-summary.ts';
import { twoQubitTasks } from './task-lists.ts';
import { show } from './values.ts';

type Log = (message: string) => void;

/** Runs a stage in its order. A stage without targets is not run. */
export function* runStage(request: StageRequest, context: FlowContext, log: Log): Procedure<StageSummary> {
  const { order, name, targets, ...stage } = request;
  if (targets.length === 0) {
    log(`stage "${name}" has no targets and is not run`);
    return skippedStage(name);
  }
  const schedule = request.schedule ?? (yield* scheduled(request, context));
  const command = { kind: 'stage', name, targets, ...stage } as const;
  const answer = yield* ask(schedule === undefined ? command : { ...command, schedule });
  return stageSummary(answer, targets);
}

/** The schedule for the stage's mode. Pairs without a schedule run one after another, because they may share qubits. */
function* scheduled(
  { name, order, targets }: StageRequest,
  { couplings }: FlowContext,
): Procedure<StageSchedule | undefined> {
  const pairs = new Set(couplings);
  if (targets.some((id) => pairs.has(id))) {
    if (order === undefined || order.mode === 'serial') return [[targets]];
    throw new TypeError(
      `stage "${name}": mode ${order.mode} is for qubits; give pairs a schedule of session.schedulePairs`,
    );
  }
  if (order === undefined) return undefined;
  const { schedule, excluded } = yield* ask({ kind: 'qubit_schedule', qids: targets, ...order });
  if (excluded.length === 0) return schedule;
  const reasons = excluded.slice(0, 5).map(({ target, reason }) => `${target} (${reason})`);
  throw new RangeError(
    `stage "${name}": ${excluded.length} qubits have no place in mode ${order.mode}: ${reasons.join(', ')}; leave them out of targets, or mend what the wiring says of them`,
  );
}

/** A stage with a predefined task list and order: bring-up, check, fine-tuning. */
export interface StagePreset {
  /** `session.bringUp`. */
  call: string;
  name: string;
  tasks: { full: readonly string[]; fast?: readonly string[] };
  mode: QubitOrder['mode'];
}

/** Validates the arguments of a helper: targets, and deviations from its predefined list and order. */
export function presetRequest(
  helper: StagePreset,
  targets: unknown,
  given: unknown,
  context: FlowContext,
): StageRequest {
  const { call } = helper;
  const { full, fast: short } = helper.tasks;
  const known = ['name', 'tasks', ...(short ? ['fast', 'configure'] : []), ...orderOptions];
  const { fast, configure, tasks, ...options } = readOptions(given, known, call);
  const list = stageTasks(tasks ?? (flagOption(fast, `${call}: fast`) ? short : full), call);
  const first = flagOption(configure, `${call}: configure`) ? ['Configure'] : [];
  const { name, mode } = helper;
  return stageRequest({ name, mode, ...options, targets, tasks: [...first, ...list] }, context, call);
}

/** Validates the arguments of `session.twoQubit`. */
export function twoQubitRequest(schedule: unknown, given: unknown, context: FlowContext): StageRequest {
  const call = 'session.twoQubit';
  const known = ['name', 'tasks', 'parallel', 'run_parameters', 'input_offsets', 'repeat_refused'];
  const options = readOptions(given, known, call);
  const steps = scheduleOf(schedule, call);
  const stage = { name: 'Two-qubit calibration', tasks: twoQubitTasks, ...options, schedule: steps };
  return stageRequest(stage, context, call);
}

/** Result of `session.retry`: `RetrySummary` of the declarations. */
export interface RetrySummary {
  passed: string[];
  failed: string[];
  attempts: {
    run_parameters: { [name: string]: unknown };
    input_offsets: { [name: string]: number };
    passed: string[];
    failed: string[];
  }[];
}

/** Differences of an attempt from the stage. */
type Attempt = Required<Pick<StageRequest, 'run_parameters' | 'input_offsets'>>;

export interface RetryRequest {
  stage: StageRequest;
  attempts: Attempt[];
}

/** Validates the arguments of `session.retry`. */
export function retryRequest(given: unknown, context: FlowContext): RetryRequest {
  const call = 'session.retry';
  const stage = stageRequest(given, context, call, ['attempts']);
  // The name of each attempt is longer than the given name.
  textOption(stage.name, `${call}: name`, 80);
  const attempts: unknown =
    typeof given === 'object' && given !== null && 'attempts' in given ? given.attempts : undefined;
  if (!Array.isArray(attempts) || attempts.length === 0) {
    throw new TypeError(
      `${call}: attempts is a list of run parameters, or of { run_parameters, input_offsets }, such as [{}, { shots: 4096 }], not ${show(attempts)}`,
    );
  }
  return {
    stage,
    attempts: attempts.map((one: unknown, index) => attemptOf(one, `attempt ${index + 1}`, call)),
  };
}

/** Bare run parameters, or `{ run_parameters, input_offsets }`. */
function attemptOf(given: unknown, name: string, call: string): Attempt {
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given);
  const parts = ['run_parameters', 'input_offsets'];
  if (!isObject || !parts.some((part) => part in given)) {
    return { run_parameters: runParameters(name, given, call), input_offsets: {} };
  }
  const { run_parameters = {}, input_offsets } = readOptions(given, parts, `${name} of ${call}`);
  return {
    run_parameters: runParameters(name, run_parameters, call),
    input_offsets: inputOffsets(input_offsets, `${name} of ${call}`),
  };
}

/** Runs a stage again on the failed targets with the changes of the next attempt, until there are no more attempts. */
export function* retry(
  { stage, attempts }: RetryRequest,
  context: FlowContext,
  log: Log,
): Procedure<RetrySummary> {
  const summary: RetrySummary = { passed: [], failed: stage.targets, attempts: [] };
  for (const [index, changed] of attempts.entries()) {
    const targets = summary.failed;
    if (targets.length === 0) break;
    const run_parameters = { ...stage.run_parameters, ...changed.run_parameters };
    const input_offsets = { ...stage.input_offsets, ...changed.input_offsets };
    const { schedule, ...rest } = stage;
    const one = yield* runStage(
      {
        ...rest,
        name: `${stage.name}, attempt ${index + 1}`,
        targets,
        ...(schedule ? { schedule: narrowed(schedule, targets) } : {}),
        ...(Object.keys(run_parameters).length > 0 ? { run_parameters } : {}),
        ...(Object.keys(input_offsets).length > 0 ? { input_offsets } : {}),
      },
      context,
      log,
    );
    for (const { target, task, message } of one.failures) {
      log(`attempt ${index + 1}: ${target}, ${task}: ${message}`);
    }
    const values = Object.entries(run_parameters).map(([name, { value }]) => [name, value]);
    summary.attempts.push({
      run_parameters: Object.fromEntries(values),
      input_offsets,
      passed: one.passed,
      failed: one.failed,
    });
    summary.failed = one.failed;
  }
  summary.passed = stage.targets.filter((id) => !summary.failed.includes(id));
  return summary;
}
