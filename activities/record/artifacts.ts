/** Steps that finish a measurement: names and writes its files. Used by outcome.ts and raw-data.ts. */

import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { executionDirectory } from '../../shared/domain/executions/index.ts';
import type { HeldRun } from '../../shared/domain/runs/run-model.ts';
import { replaceFile } from '../../shared/kernel/files/atomic-write.ts';
import { removeFile } from '../../shared/kernel/files/remove-file.ts';
import type { TaskId } from '../../shared/kernel/ids.ts';
import type { StoredFigure } from '../analysis/pool.ts';

/** Characters of a task id in a file name: enough to distinguish the occurrences of a task. */
const ID_LENGTH = 8;

/** Where the files of an execution go. Names follow from the task id, so a repeat writes the same files. */
export function createArtifactFiles(root: string) {
  const made = new Map<string, Promise<string>>();

  function directory(run: HeldRun, kind: 'fig' | 'raw_data'): Promise<string> {
    const path = join(executionDirectory(root, run), kind);
    const known = made.get(path);
    if (known) return known;
    const making = mkdir(path, { recursive: true }).then(() => path);
    // A failure must not be remembered; a few thousand directories are enough to remember.
    making.catch(() => made.delete(path));
    if (made.size > 2000) made.clear();
    made.set(path, making);
    return making;
  }

  async function write(path: string, content: string | Uint8Array): Promise<string> {
    await replaceFile(path, content);
    return path;
  }

  const stem = (taskName: string, qid: string, taskId: TaskId) =>
    `${taskName}_${qid}_${taskId.slice(0, ID_LENGTH)}`;

  return {
    /** Directory for the files of one measurement: those that its backend writes or uploads. */
    measurementDirectory: (run: HeldRun, taskId: TaskId): string =>
      join(executionDirectory(root, run), 'raw_data', taskId),

    /** The same, existing. */
    async makeMeasurementDirectory(run: HeldRun, taskId: TaskId): Promise<string> {
      const path = join(await directory(run, 'raw_data'), taskId);
      await mkdir(path, { recursive: true });
      return path;
    },

    /** `raw_data/<task>_<qid>_<id>_<i>.nc` */
    async writeRawData(
      run: HeldRun,
      task: { name: string; qid: string; id: TaskId },
      index: number,
      content: Uint8Array,
    ) {
      const folder = await directory(run, 'raw_data');
      return write(join(folder, `${stem(task.name, task.qid, task.id)}_raw_${index}.nc`), content);
    },

    /** `fig/<task>_<qid>_<id>[_<role>]_<i>.json`; `.png` is the picture, which is drawn later. */
    async writeFigure(
      run: HeldRun,
      task: { name: string; qid: string; id: TaskId },
      index: number,
      figure: StoredFigure,
    ): Promise<{ json: string; png: string }> {
      const folder = await directory(run, 'fig');
      const name = `${stem(task.name, task.qid, task.id)}${figure.role ? `_${figure.role}` : ''}_${index}`;
      const files = { json: join(folder, `${name}.json`), png: join(folder, `${name}.png`) };
      // Otherwise a picture of an abandoned attempt would be shown with this description.
      await removeFile(files.png);
      await write(files.json, figure.json);
      return files;
    },

    /** Pictures of a run that are described and not drawn. */
    async undrawnFigures(run: Pick<HeldRun, 'project_id' | 'chip_id' | 'execution_id'>): Promise<string[]> {
      const folder = join(executionDirectory(root, run), 'fig');
      const names = new Set(await readdir(folder).catch(noneIfMissing));
      return [...names].flatMap((name) => {
        if (!name.endsWith('.json')) return [];
        const picture = `${name.slice(0, -'.json'.length)}.png`;
        return names.has(picture) ? [] : [join(folder, picture)];
      });
    },
  };
}

function noneIfMissing(thrown: unknown): string[] {
  if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return [];
  throw thrown;
}

export type ArtifactFiles = ReturnType<typeof createArtifactFiles>;
