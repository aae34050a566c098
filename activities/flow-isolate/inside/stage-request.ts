import type { StageTask } from '../../../shared/flows/model.ts';
import type { FlowContext } from '../protocol.ts';
import { idList, listed, unique } from './targets.ts';
import { parse, show, stringify } from './values.ts';

export interface StageRequest {
  kind: 'stage';
  name: string;
  tasks: StageTask[];
  /** May be empty: such a stage is not run. */
  targets: string[];
  parallel?: number;
}

/** What a flow gave to `session.run`, checked. */
export function stageRequest(given: unknown, context: FlowContext): StageRequest {
  if (typeof given !== 'object' || given === null) {
    throw new TypeError('session.run takes one object: { name, tasks, targets }');
  }
  refuseOthers(given, ['name', 'tasks', 'targets', 'parallel'], 'session.run');
  const { name, tasks, targets, parallel }: { [key: string]: unknown } = { ...given };
  if (typeof name !== 'string' || name === '' || name.length > 100) {
    throw new TypeError(`session.run: name must be a text of 1 to 100 characters, but got ${show(name)}`);
  }
  const request: StageRequest = {
    kind: 'stage',
    name,
    tasks: stageTasks(tasks),
    targets: unique(idList(targets, 'session.run: targets', 'session.targets.all()')),
  };
  for (const id of request.targets) {
    if (context.qubits.includes(id) || context.couplings.includes(id)) continue;
    throw new RangeError(`unknown target "${id}"; chip "${context.chip_id}" has ${listed(context.qubits)}`);
  }
  if (parallel === undefined) return request;
  if (typeof parallel !== 'number' || !Number.isSafeInteger(parallel) || parallel < 1) {
    throw new RangeError(`session.run: parallel must be 1 or more, but got ${show(parallel)}`);
  }
  return { ...request, parallel };
}

function stageTasks(value: unknown): StageTask[] {
  if (!Array.isArray(value) || value.length === 0) {
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
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TypeError(`session.run: run_parameters of ${task} must be an object, not ${show(value)}`);
  }
  const parameters: NonNullable<StageTask['run_parameters']> = {};
  for (const [name, given] of Object.entries(value)) {
    const bare: unknown =
      typeof given === 'object' && given !== null && 'value' in given ? given.value : given;
    const isOne = typeof bare === 'string' || typeof bare === 'boolean' || Number.isFinite(bare);
    const isList =
      Array.isArray(bare) && bare.every((part: unknown) => typeof part === 'string' || Number.isFinite(part));
    if (!isOne && !isList) {
      throw new TypeError(
        `session.run: run parameter ${name} of ${task} must be a number, a text, true, false or a list, not ${show(bare)}`,
      );
    }
    // The command leaves as JSON, so the host sees exactly what was checked here.
    parameters[name] = parse(stringify({ value: bare }));
  }
  return parameters;
}

function refuseOthers(value: object, known: string[], where: string): void {
  for (const key of Object.keys(value)) {
    if (!known.includes(key)) {
      throw new TypeError(`${where} does not know "${key}"; it takes ${known.join(', ')}`);
    }
  }
}
