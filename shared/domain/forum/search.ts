import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { ProjectId } from '../../kernel/ids.ts';
import { isWithin, type Narrowing, numberAt, placeOf, unknownSlots } from './search-rules.ts';
import type { SearchBlock, SearchStore } from './search-store.ts';

/** Maximum total size of the cached texts of all projects, in characters. */
const MEMORY = 64 * 2 ** 20;
/** Estimated size of a slot in addition to its text, in characters. */
const SLOT_SIZE = 256;
/** Maximum number of blocks per read. */
const READ_AT_ONCE = 16;
/** Number of characters that are searched before the event loop gets a turn. */
const LOOKED_AT_ONCE = 4 * 2 ** 20;

interface KeptBlock extends SearchBlock {
  version: number;
  size: number;
}

/** The cached texts of a project. */
interface KeptTexts {
  blocks: Map<number, KeptBlock>;
  size: number;
  reading: Promise<void> | null;
}

/** A search: a fragment in lower case, among the threads that a list shows. */
export interface Looked {
  part: string;
  narrowing: Narrowing;
  /** Lower bound of the newest number in use. */
  last: number;
}

export type Search = ReturnType<typeof createSearch>;

/**
 * Searches for fragments of texts. The texts are cached in this process up to a maximum size; each search asks the store which
 * blocks have changed and reads those again.
 */
export function createSearch(
  store: Pick<SearchStore, 'versions' | 'read' | 'readWith' | 'prepare'>,
  memory = MEMORY,
) {
  const projects = new LRUCache<string, KeptTexts>({ maxSize: memory });

  function textsOf(projectId: ProjectId): KeptTexts {
    const kept = projects.get(projectId) ?? { blocks: new Map(), size: 1, reading: null };
    count(projectId, kept);
    return kept;
  }

  /** Updates the project's cached size; evicts the least recently searched projects. */
  function count(projectId: ProjectId, kept: KeptTexts): void {
    // Setting the same value again would keep its old size.
    projects.delete(projectId);
    projects.set(projectId, kept, { size: Math.min(kept.size, memory) });
  }

  async function keep(
    projectId: ProjectId,
    kept: KeptTexts,
    stale: readonly (readonly [number, number])[],
  ): Promise<void> {
    const read = await store.read(
      projectId,
      stale.map(([block]) => block),
    );
    const slotsOf = new Map(read.map(({ block, slots }) => [block, slots]));
    const gone = stale.flatMap(([block]) => (slotsOf.has(block) ? [] : block));
    if (gone.length > 0) await store.prepare(projectId, gone);
    for (const [block, version] of stale) {
      const slots = slotsOf.get(block) ?? unknownSlots();
      const size = slots.reduce((sum, { text }) => sum + SLOT_SIZE + (text?.length ?? 0), 0);
      kept.size += size - (kept.blocks.get(block)?.size ?? 0);
      kept.blocks.set(block, { block, slots, version, size });
    }
    // Unless it was evicted meanwhile.
    if (projects.peek(projectId) === kept) count(projectId, kept);
  }

  /** Reads changed blocks again, and further blocks as long as there is room. */
  async function freshen(
    projectId: ProjectId,
    kept: KeptTexts,
    versions: ReadonlyMap<number, number>,
  ): Promise<void> {
    const isStale = ([block, version]: readonly [number, number]) => {
      const own = kept.blocks.get(block);
      return own ? own.version < version : kept.size < memory;
    };
    for (;;) {
      // Another search may be reading the same blocks.
      while (kept.reading) await kept.reading;
      const stale = [...versions]
        .filter(isStale)
        .sort(([a], [b]) => b - a)
        .slice(0, READ_AT_ONCE);
      if (stale.length === 0) return;
      kept.reading = keep(projectId, kept, stale).finally(() => {
        kept.reading = null;
      });
      await kept.reading;
    }
  }

  /** The versions of all blocks. Creates missing blocks, because threads may be older than the search. */
  async function versionsOf(projectId: ProjectId, last: number): Promise<ReadonlyMap<number, number>> {
    const versions = await store.versions(projectId);
    if (versions.size === 0) projects.delete(projectId);
    const blocks = last === 0 ? 0 : placeOf(last).block + 1;
    const missing = Array.from({ length: blocks }, (_, block) => block).filter(
      (block) => !versions.has(block),
    );
    if (missing.length > 0) await store.prepare(projectId, missing);
    for (const block of missing) versions.set(block, 0);
    return versions;
  }

  return {
    /** Thread numbers that contain the fragment, plus threads not indexed yet, unordered. */
    async find(
      projectId: ProjectId,
      { part, narrowing, last }: Looked,
    ): Promise<{ found: number[]; unknown: number[] }> {
      const versions = await versionsOf(projectId, last);
      const kept = textsOf(projectId);
      await freshen(projectId, kept, versions);

      const found: number[] = [];
      const unknown: number[] = [];
      const look = ({ block, slots }: SearchBlock) => {
        for (const [slot, { text, filing }] of slots.entries()) {
          if (text === null) unknown.push(numberAt(block, slot));
          else if (filing && isWithin(filing, narrowing) && text.includes(part)) {
            found.push(numberAt(block, slot));
          }
        }
      };
      let looked = 0;
      const outside: number[] = [];
      for (const block of versions.keys()) {
        const own = kept.blocks.get(block);
        if (!own) {
          outside.push(block);
          continue;
        }
        look(own);
        looked += own.size;
        if (looked < LOOKED_AT_ONCE) continue;
        looked = 0;
        await nextTurn();
      }
      if (outside.length > 0) for await (const block of store.readWith(projectId, outside, part)) look(block);
      return { found, unknown };
    },
  };
}
