import { PassThrough, Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { CalibronError } from '../errors.ts';

/** Maximum total size of the files of one archive in bytes, before compression. */
const MAX_ARCHIVE_BYTES = 2 * 1024 ** 3;

/** File types whose content is already compressed. */
const compressedKinds = /\.(png|gz|zip|jpe?g|webp)$/i;

/** A file to be archived. It is opened only when the archive reaches it. */
export interface ArchiveEntry {
  /** Name in the archive, `/`-separated. */
  name: string;
  size: number;
  modified: Date;
  /** @returns null if the file no longer exists; it is then skipped */
  open(): Promise<Readable | null>;
}

/** An archive entry from memory instead of a file. */
export function entryOf(name: string, content: string | Uint8Array, modified: Date): ArchiveEntry {
  const bytes = Buffer.from(content);
  return { name, size: bytes.length, modified, open: async () => Readable.from([bytes]) };
}

/**
 * Streams a ZIP archive of the files. The stream fails if a file can no longer be read. If the reader stops early, the
 * current file is closed.
 * @throws too_large before any file is read
 */
export function zipOf(entries: readonly ArchiveEntry[]): Readable {
  const bytes = entries.reduce((sum, { size }) => sum + size, 0);
  if (bytes > MAX_ARCHIVE_BYTES) {
    throw new CalibronError('too_large', 'These files have more than 2 GiB; ask for fewer at a time.');
  }
  const zip = new ZipFile();
  const archive = new PassThrough();
  zip.on('error', (thrown) => archive.destroy(thrown));
  zip.outputStream.pipe(archive);
  fill(zip, entries, archive).catch((thrown) => archive.destroy(thrown));
  return archive;
}

/** Adds one file after another to the archive until the reader stops. */
async function fill(zip: ZipFile, entries: readonly ArchiveEntry[], archive: Readable): Promise<void> {
  let current: Readable | null = null;
  archive.once('close', () => current?.destroy());
  for (const { name, modified, open } of entries) {
    if (archive.destroyed) return;
    current = await open();
    if (!current) continue;
    if (archive.destroyed) current.destroy();
    zip.addReadStream(current, name, { mtime: modified, compress: !compressedKinds.test(name) });
    await finished(current);
  }
  zip.end();
}

/** Makes file names unique within one directory: a repeated `fig.png` becomes `fig_2.png`, `fig_3.png`, … */
export function distinctNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const dot = name.lastIndexOf('.');
    const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
    let own = name;
    // Some file systems are case-insensitive.
    for (let count = 2; taken.has(own.toLowerCase()); count++) own = `${stem}_${count}${extension}`;
    taken.add(own.toLowerCase());
    return own;
  });
}
