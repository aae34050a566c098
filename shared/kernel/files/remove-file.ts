import { unlink } from 'node:fs/promises';

/** Removes a file, if it is there. `rm` of Node.js looks at it twice before, which costs more than the removal. */
export async function removeFile(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (thrown) {
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT')) throw thrown;
  }
}
