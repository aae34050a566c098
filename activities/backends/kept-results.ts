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

/** Results that a worker keeps in memory; each has at most 64 KB. */
const IN_MEMORY = 500;
/** Milliseconds from which on a measurement is worth a write that outlasts a power cut. */
const LONG_MEASUREMENT = 1000;

/** What makes two requests for a measurement the same: not when, how often and by which deadline they ask. */
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
 * Finished measurements of a worker: in memory, and under the request's `artifact_dir` where that is a directory the worker
 * can write to. Record keeping removes a file once its result is stored.
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
     * @returns whether it is on the disk, too
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
        // The folder goes when a run ends, and may have been known from before.
        folders.delete(folder);
        return false;
      }
    },

    /** The result of the same request, null when none is kept. */
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

/** As it is after it was written to a file and read. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
