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

/** True when the pages about tasks have their pictures: they are written all at once. */
export async function haveExpectedFigures(directory = pages): Promise<boolean> {
  const files = await readdir(directory, { recursive: true });
  return files.some((file) => basename(file) === EXPECTED_FIGURE);
}

/** Draws the pictures of the pages about tasks in a process of its own, behind everything else that runs here. */
export async function drawExpectedFigures(signal: AbortSignal): Promise<void> {
  const drawing = promisify(execFile)(process.execPath, ['--import', 'tsx', program], {
    cwd: fileURLToPath(packageRoot),
    signal,
  });
  if (drawing.child.pid !== undefined) setPriority(drawing.child.pid, constants.priority.PRIORITY_LOW);
  await drawing;
}
