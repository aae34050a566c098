/** Paths of files in the calibration data: how they are stored, and how clients see them. Pure. */

import { isAbsolute, join } from 'node:path';
import type { ProjectId } from '../../kernel/ids.ts';

/** The chip whose files they are. */
interface ChipOfFiles {
  project_id: ProjectId;
  chip_id: string;
}

/**
 * A path of a chip's file as it is stored: relative to the calibration data root, so that the data may move. The root that an
 * absolute path was written under does not matter. A path that is in no directory of the chip stays as it is.
 */
export function storedFilePath(path: string, { project_id, chip_id }: ChipOfFiles): string {
  const at = path.lastIndexOf(`/${project_id}/${chip_id}/`);
  return at < 0 ? path : path.slice(at + 1);
}

/** Stored paths of a chip's files as clients see them: absolute, under the current calibration data root. */
export function shownFilePaths(root: string, paths: readonly string[], chip: ChipOfFiles): string[] {
  return paths.map((path) => {
    const stored = storedFilePath(path, chip);
    return isAbsolute(stored) ? stored : join(root, stored);
  });
}
