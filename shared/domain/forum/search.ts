import { setImmediate as nextTurn } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { isWithin, type Narrowing, numberAt, placeOf, unknownSlots } from './search-rules.ts';
import type { SearchBlock, SearchStore } from './search-store.ts';

/** The most that a process keeps of all projects, in characters. */
const MEMORY = 64 * 2 ** 20;
/** What a slot takes beside its text, in characters. */
const SLOT_SIZE = 256;
/** Blocks that are read at once. */
const READ_AT_ONCE = 16;
/** Characters that are looked at before others have their turn. */
const LOOKED_AT_ONCE = 4 * 2 ** 20;

interface KeptBlock extends SearchBlock {
  version: number;
  size: number;
}

/** What a process keeps of a project's texts. */
interface KeptTexts {
  blocks: Map<number, KeptBlock>;
  size: number;
  reading: Promise<void> | null;
}

/** What is looked for: a part in small letters, among the threads that a list shows. */
export interface Looked {
  part: string;
  narrowing: Narrowing;
  /** The newest number that is surely taken. */
  last: number;
}

export type Search = ReturnType<typeof createSearch>;

/**
 * Looks for parts of texts. The texts are kept in this process, as far as there is room; each search asks the store
 * which blocks have changed and reads those again.
 */
export function createSearch(
  store: Pick<SearchStore, 'versions' | 'read' | 'readWith' | 'prepare'>,
  memory = MEMORY,
) {
  const projects = new LRUCache<string, KeptTexts>({ maxSize: memory });

  function textsOf(projectId: string): KeptTexts {
    const kept = projects.get(projectId) ?? { blocks: new Map(), size: 1, reading: null };
    count(projectId, kept);
    return kept;
  }

  /** Counts a project with the size that it has now, at the cost of those that nobody has looked into for longest. */
  function count(projectId: string, kept: KeptTexts): void {
    // What is set to what it is already would keep the size that it had.
    projects.delete(projectId);
    projects.set(projectId, kept, { size: Math.min(kept.size, memory) });
  }

  async function keep(
    projectId: string,
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
    // Unless it had to give way meanwhile.
    if (projects.peek(projectId) === kept) count(projectId, kept);
  }

  /** Reads again what has changed, and for the first time what there is room for. */
  async function freshen(
    projectId: string,
    kept: KeptTexts,
    versions: ReadonlyMap<number, number>,
  ): Promise<void> {
    const isStale = ([block, version]: readonly [number, number]) => {
      const own = kept.blocks.get(block);
      return own ? own.version < version : kept.size < memory;
    };
    for (;;) {
      // Another search may be reading the same.
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

  /** The versions of all blocks. Threads may be older than the search: it makes room for them. */
  async function versionsOf(projectId: string, last: number): Promise<ReadonlyMap<number, number>> {
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
    /** Numbers of the threads that have a part, and of those of which nobody knows, in no order. */
    async find(
      projectId: string,
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
