import { unlink } from 'node:fs/promises';

/** Removes a file if it exists. `rm` of Node.js stats the file twice first, which costs more than the removal. */
export async function removeFile(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (thrown) {
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT')) throw thrown;
  }
}
