import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';

const compress = promisify(brotliCompress);
/** Files that browsers get compressed. */
const TEXT = /\.(?:html|js|css|svg|json)$/;
/** Smaller files are not worth a second one. */
const SMALLEST_COMPRESSED = 1024;

/** Writes a compressed copy beside each text file of a folder, for the API to serve. */
export async function compressFiles(directory: string): Promise<void> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    if (!entry.isFile() || !TEXT.test(entry.name)) continue;
    const file = join(entry.parentPath, entry.name);
    const bytes = await readFile(file);
    if (bytes.length < SMALLEST_COMPRESSED) continue;
    const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
    await writeFile(`${file}.br`, await compress(bytes, { params }));
  }
}
