import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../files/atomic-write.ts';
import { newId } from '../new-ids.ts';
import { adoptCommand } from './rules.ts';
import type { InstallationStore } from './store.ts';

/** Name of the file in a calibration data root that contains the installation id. */
export const MARKER = '.calibron-installation';

/**
 * Checks that a calibration data root belongs to the installation. The first root of an installation gets a marker file.
 * @param root absolute path; it is created if it is missing and the installation has no root yet
 * @returns why the root must not be used, or null. Also null if the root cannot be read or written at the moment: work that
 *   uses it then fails with the disk's error and is retried
 */
export async function dataRootProblem(
  root: string,
  store: Pick<InstallationStore, 'get' | 'noteDataRoot'>,
): Promise<string | null> {
  const { installation_id, data_root_marked_at } = await store.get();
  let marker: string | null;
  try {
    marker = await readMarker(root);
    if (marker === null && data_root_marked_at === null) {
      await createMarker(root, installation_id);
      marker = await readMarker(root);
    }
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown) return null;
    throw thrown;
  }
  if (marker === null) {
    return (
      `The calibration data root ${root} has no marker file ${MARKER}, but this installation (${installation_id}) ` +
      `has one in its root. Is its disk mounted? ${correction}`
    );
  }
  if (marker !== installation_id) {
    return (
      `The calibration data root ${root} belongs to installation ${marker}, ` +
      `but the store belongs to installation ${installation_id}. ${correction}`
    );
  }
  if (data_root_marked_at === null) await store.noteDataRoot(new Date());
  return null;
}

const correction = `Correct CALIB_DATA_PATH or DATA_DIR. If the data was restored or moved here on purpose: ${adoptCommand('data')}.`;

/** Makes a root belong to this installation, regardless of its marker. @returns the previous id in its marker */
export async function adoptDataRoot(
  root: string,
  store: Pick<InstallationStore, 'get' | 'noteDataRoot'>,
): Promise<string | null> {
  const { installation_id } = await store.get();
  await mkdir(root, { recursive: true });
  const before = await readMarker(root);
  await replaceFile(join(root, MARKER), `${installation_id}\n`, { durable: true });
  await store.noteDataRoot(new Date());
  return before;
}

async function readMarker(root: string): Promise<string | null> {
  try {
    return (await readFile(join(root, MARKER), 'utf8')).trim();
  } catch (thrown) {
    if (isCode(thrown, 'ENOENT')) return null;
    throw thrown;
  }
}

/** If several processes create the marker at once, the first one wins. No process reads a partial file. */
async function createMarker(root: string, installationId: string): Promise<void> {
  await mkdir(root, { recursive: true });
  const temporary = join(root, `.${newId()}.partial`);
  const file = await open(temporary, 'wx', 0o644);
  try {
    await file.writeFile(`${installationId}\n`);
    await file.sync();
    await link(temporary, join(root, MARKER));
  } catch (thrown) {
    if (!isCode(thrown, 'EEXIST')) throw thrown;
  } finally {
    await file.close();
    await rm(temporary, { force: true });
  }
}

function isCode(thrown: unknown, code: string): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === code;
}
