import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import {
  KEPT_RESULTS_FOLDER,
  type KeptResult,
  keptResultFile,
  parseKeptResult,
} from '../../shared/domain/runs/kept-result-model.ts';
import { replaceFile } from '../../shared/kernel/files/atomic-write.ts';
import type { MeasureRequest } from './backend.ts';

/** Number of results that a worker keeps in memory, each of at most 64 KB. */
const IN_MEMORY = 500;
/** The result of a measurement of at least this many milliseconds is flushed to disk, so that it survives a power cut. */
const LONG_MEASUREMENT = 1000;

/** The parts of a request that identify a measurement: attempt, run epoch and deadlines are left out. */
export function sameRequestKey(request: MeasureRequest): KeptResult['request'] {
  const {
    task_id,
    pass = 1,
    task_name,
    targets,
    input_parameters,
    target_parameters,
    run_parameters,
  } = request;
  const inputs = { input_parameters, ...(target_parameters && { target_parameters }) };
  return { task_id, pass, task_name, targets, ...inputs, run_parameters };
}

/**
 * Finished measurements of a worker, kept in memory and, if the worker can write there, under the request's `artifact_dir`.
 * Record keeping removes the file when the result is stored.
 */
export function createWorkerResults() {
  const inMemory = new LRUCache<string, KeptResult>({ max: IN_MEMORY });
  const folders = new LRUCache<string, Promise<unknown>>({ max: 1000 });
  const keyOf = ({ task_id, pass = 1 }: MeasureRequest) => keptResultFile({ task_id, pass });

  function makeFolder(path: string): Promise<unknown> {
    const known = folders.get(path);
    if (known) return known;
    const making = mkdir(path);
    const made = making.catch((thrown: unknown) => {
      if (thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST') return;
      folders.delete(path);
      throw thrown;
    });
    folders.set(path, made);
    return made;
  }

  return {
    /**
     * Keeps a finished measurement.
     * @returns whether it is also on disk
     */
    async keep(request: MeasureRequest, kept: KeptResult): Promise<boolean> {
      inMemory.set(keyOf(request), kept);
      const folder = join(request.artifact_dir, KEPT_RESULTS_FOLDER);
      const took = Date.parse(kept.finished_at) - Date.parse(kept.started_at);
      try {
        await makeFolder(folder);
        await replaceFile(join(folder, keyOf(request)), JSON.stringify(kept), {
          durable: took >= LONG_MEASUREMENT,
        });
        return true;
      } catch {
        // The folder is removed when a run ends, so a remembered one may be gone.
        folders.delete(folder);
        return false;
      }
    },

    /** The kept result of the same request; null if there is none. */
    async find(request: MeasureRequest): Promise<KeptResult | null> {
      const kept =
        inMemory.get(keyOf(request)) ??
        (await readFile(join(request.artifact_dir, KEPT_RESULTS_FOLDER, keyOf(request)), 'utf8').then(
          parseKeptResult,
          () => null,
        ));
      const isSame = kept !== null && isDeepStrictEqual(kept.request, plain(sameRequestKey(request)));
      return isSame ? kept : null;
    },
  };
}

/** The value after a round trip through JSON. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
