import { readdir } from 'node:fs/promises';
import { parse } from 'yaml';
import { CalibronError, messageOf } from '../../kernel/errors.ts';
import { openInside } from '../../kernel/files/paths.ts';
import type { Logger } from '../../kernel/log.ts';
import { TOPOLOGY_ID, type Topology, topologyFile } from '../../science/topology/model.ts';
import { generatedTopology } from '../../science/topology/rules.ts';

/** Bytes of a file: the largest lattice has 200 KB. */
const MAX_FILE_BYTES = 1024 * 1024;
const ENDING = '.yaml';

/** What a file was when it was last read; null for one with mistakes. */
interface Known {
  etag: string;
  topology: Topology | null;
}

/**
 * Topologies by their names. A file is read again when it has changed, so an edit needs no restart.
 * @param directories in which they are looked for, the first one that has the file counts
 */
export function createTopologies(directories: readonly string[], log: Pick<Logger, 'warn'>) {
  const known = new Map<string, Known>();

  async function readFile(directory: string, id: string): Promise<Topology | null> {
    const file = await openInside(directory, `${id}${ENDING}`);
    if (typeof file === 'string') return null;
    try {
      const key = `${directory}/${id}`;
      const before = known.get(key);
      if (before?.etag === file.etag) return before.topology;
      const topology = file.size > MAX_FILE_BYTES ? null : checked(id, await file.handle.readFile('utf8'));
      known.set(key, { etag: file.etag, topology });
      return topology;
    } finally {
      await file.handle.close();
    }
  }

  function checked(id: string, text: string): Topology | null {
    try {
      const topology = topologyFile.parse(parse(text));
      if (topology.id === id) return topology;
      log.warn({ id }, 'topology not used: its id is not the name of its file');
    } catch (thrown) {
      log.warn({ id, reason: messageOf(thrown) }, 'topology not used: its file has mistakes');
    }
    return null;
  }

  /** A topology by its name: of a file, else a square lattice that follows from its name. Null when there is none. */
  async function find(id: string): Promise<Topology | null> {
    if (!TOPOLOGY_ID.test(id)) return null;
    for (const directory of directories) {
      const found = await readFile(directory, id);
      if (found) return found;
    }
    return generatedTopology(id);
  }

  return {
    find,

    /** One topology. @throws not_found */
    async read(id: string): Promise<Topology> {
      const found = await find(id);
      if (!found) throw new CalibronError('not_found', 'There is no such topology.');
      return found;
    },

    /** The topologies that have a file, by name; those of one size where it is given. */
    async list(size?: number) {
      const names = await Promise.all(directories.map((each) => readdir(each).catch((): string[] => [])));
      const ids = [...new Set(names.flat())]
        .filter((name) => name.endsWith(ENDING))
        .map((name) => name.slice(0, -ENDING.length))
        .sort();
      const found = await Promise.all(ids.map(find));
      return found
        .filter((each) => each !== null && (size === undefined || each.num_qubits === size))
        .flatMap((each) => (each ? [{ id: each.id, name: each.name, num_qubits: each.num_qubits }] : []));
    },
  };
}
