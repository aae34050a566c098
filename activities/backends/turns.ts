import { LRUCache } from 'lru-cache';
import type { TaskId } from '../../shared/kernel/ids.ts';
import type { MeasureRequest } from './backend.ts';

/** Number of projects for which a worker remembers the latest run. */
const REMEMBERED_PROJECTS = 10_000;

/** A measurement in progress in this process. */
interface Running {
  taskId: TaskId;
  epoch: number;
  stop: AbortController;
  ended: Promise<void>;
}

/** The request belongs to a run that a later run of its project has replaced. */
export class Outdated extends Error {
  override readonly name = 'Outdated';
}

/**
 * Serializes measurements that exclude each other. A further attempt at a task waits until the previous one has stopped: the
 * server repeats a measurement after the heartbeat timeout, when the first attempt may still use the instrument. A measurement
 * also waits for those of earlier runs of its project, and is refused once a later run has measured here. `epoch` grows with
 * each run of a project.
 */
export function createTurns() {
  const running = new Map<string, Set<Running>>();
  const epochs = new LRUCache<string, number>({ max: REMEMBERED_PROJECTS });

  function excludedBy(request: Pick<MeasureRequest, 'project_id' | 'task_id' | 'epoch'>): Running[] {
    const all = [...(running.get(request.project_id) ?? [])];
    return all.filter(({ taskId, epoch }) => taskId === request.task_id || epoch < request.epoch);
  }

  /**
   * Stops the measurements that this one excludes, then runs `measure`.
   * @param measure receives the signal on which it must stop
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
