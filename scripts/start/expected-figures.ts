import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { EXPECTED_FIGURE } from '../../shared/domain/task-knowledge/rules.ts';
import { packageRoot } from '../../shared/kernel/package-root.ts';

const pages = fileURLToPath(new URL('config/task-knowledge', packageRoot));
const program = fileURLToPath(new URL('scripts/expected-figures.ts', packageRoot));

/** Whether the task pages have their figures. All figures are written together, so one is enough to know. */
export async function haveExpectedFigures(directory = pages): Promise<boolean> {
  const files = await readdir(directory, { recursive: true });
  return files.some((file) => basename(file) === EXPECTED_FIGURE);
}

/** Draws the figures of the task pages in a separate process with low priority. */
export async function drawExpectedFigures(signal: AbortSignal): Promise<void> {
  const drawing = promisify(execFile)(process.execPath, ['--import', 'tsx', program], {
    cwd: fileURLToPath(packageRoot),
    signal,
  });
  if (drawing.child.pid !== undefined) setPriority(drawing.child.pid, constants.priority.PRIORITY_LOW);
  await drawing;
}
