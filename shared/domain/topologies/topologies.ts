import { readdir } from 'node:fs/promises';
import { parse } from 'yaml';
import { CalibronError, messageOf } from '../../kernel/errors.ts';
import { openInside } from '../../kernel/files/paths.ts';
import type { Logger } from '../../kernel/log.ts';
import { TOPOLOGY_ID, type Topology, topologyFile } from '../../science/topology/model.ts';
import { generatedTopology } from '../../science/topology/rules.ts';

/** Maximum bytes of a file: the largest lattice has 200 KB. */
const MAX_FILE_BYTES = 1024 * 1024;
const ENDING = '.yaml';

/** State of a file when it was last read; null if it contains mistakes. */
interface Known {
  etag: string;
  topology: Topology | null;
}

/** Files as last read, by path. Shared by all instances in the process: parsing the shipped files takes 0.2 s of a core. */
const known = new Map<string, Known>();

/**
 * Topologies by name. A file is read again if it has changed, so that an edit needs no restart.
 * @param directories searched in order; the first one that contains the file is used
 */
export function createTopologies(directories: readonly string[], log: Pick<Logger, 'warn'>) {
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

  /** A topology by name, from a file, else a square lattice derived from its name. Null if there is none. */
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

    /** The topologies with a file, by name; only those of the given size, if any. */
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
