import { LRUCache } from 'lru-cache';
import type { MeasureRequest } from './backend.ts';

/** Projects of which a worker remembers the latest run. */
const REMEMBERED_PROJECTS = 10_000;

/** A measurement under way in this process. */
interface Running {
  taskId: string;
  epoch: number;
  stop: AbortController;
  ended: Promise<void>;
}

/** A later run holds the project. */
export class Outdated extends Error {
  override readonly name = 'Outdated';
}

/**
 * Lets measurements that exclude each other follow each other. A further attempt at a task waits until the one before it
 * has stopped: the engine repeats what it has not heard of for a heartbeat timeout, and the first attempt may still drive
 * the instrument then. A run waits until those of earlier runs of its project have stopped, and is itself refused once a
 * later run has measured here: `epoch` grows with each run of a project.
 */
export function createTurns() {
  const running = new Map<string, Set<Running>>();
  const epochs = new LRUCache<string, number>({ max: REMEMBERED_PROJECTS });

  function excludedBy(request: Pick<MeasureRequest, 'project_id' | 'task_id' | 'epoch'>): Running[] {
    const all = [...(running.get(request.project_id) ?? [])];
    return all.filter(({ taskId, epoch }) => taskId === request.task_id || epoch < request.epoch);
  }

  /**
   * Runs `measure` when those that it excludes have stopped, which are asked to.
   * @param measure receives the signal on which it has to stop
   * @throws Outdated when a later run of the project has measured here
   */
  return async function inTurn<T>(
    request: Pick<MeasureRequest, 'project_id' | 'task_id' | 'epoch'>,
    measure: (stop: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const { project_id, task_id, epoch } = request;
    const highest = epochs.get(project_id) ?? epoch;
    if (epoch < highest) throw new Outdated(`Run ${epoch} of the project was followed by run ${highest}.`);
    epochs.set(project_id, epoch);
    const before = excludedBy(request);
    for (const { stop } of before) stop.abort();
    const stop = new AbortController();
    const measuring = Promise.all(before.map(({ ended }) => ended)).then(() => measure(stop.signal));
    const own: Running = { taskId: task_id, epoch, stop, ended: measuring.then(nothing, nothing) };
    const ofProject = running.get(project_id) ?? new Set();
    running.set(project_id, ofProject.add(own));
    try {
      return await measuring;
    } finally {
      ofProject.delete(own);
      if (ofProject.size === 0) running.delete(project_id);
    }
  };
}

function nothing(): void {}
