import { PassThrough, Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { CalibronError } from '../errors.ts';

/** Bytes of the files of one archive, before compression. */
const MAX_ARCHIVE_BYTES = 2 * 1024 ** 3;

/** Kinds whose content is compressed already. */
const compressedKinds = /\.(png|gz|zip|jpe?g|webp)$/i;

/** A file that goes into an archive; it is opened when its turn comes. */
export interface ArchiveEntry {
  /** Name in the archive, `/`-separated. */
  name: string;
  size: number;
  modified: Date;
  /** @returns null for a file that has gone away and is left out */
  open(): Promise<Readable | null>;
}

/** A file of an archive that is on no disk. */
export function entryOf(name: string, content: string | Uint8Array, modified: Date): ArchiveEntry {
  const bytes = Buffer.from(content);
  return { name, size: bytes.length, modified, open: async () => Readable.from([bytes]) };
}

/**
 * A ZIP archive of the files, made while it is read. It stops with an error where a file cannot be read any more, and
 * closes the file at hand when nobody reads on.
 * @throws too_large before anything is read
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

/** Puts one file after another into the archive, until nobody reads on. */
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

/** Names of their own for files that go into one directory: a repeated `fig.png` becomes `fig_2.png`, `fig_3.png`, … */
export function distinctNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    const dot = name.lastIndexOf('.');
    const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
    let own = name;
    // Some file systems take A.png and a.png for one file.
    for (let count = 2; taken.has(own.toLowerCase()); count++) own = `${stem}_${count}${extension}`;
    taken.add(own.toLowerCase());
    return own;
  });
}
