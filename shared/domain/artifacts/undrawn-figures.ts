import { lstat } from 'node:fs/promises';
import { basename, dirname, extname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { CalibronError, messageOf } from '../../kernel/errors.ts';
import type { ArchiveEntry } from '../../kernel/files/archive.ts';
import { isUnreplaced, replaceFile } from '../../kernel/files/atomic-write.ts';
import { openResolved } from '../../kernel/files/paths.ts';
import type { Logger } from '../../kernel/log.ts';
import type { ParsingPool } from '../parsing/index.ts';

/** Bytes of a description that is drawn: several times what the largest map of ours takes. */
export const MAX_DESCRIPTION_BYTES = 16 * 1024 * 1024;

/** Milliseconds from its description on in which a worker may draw a figure by itself. */
const FOLLOWS_WITHIN = 2000;
/** Milliseconds between two looks whether it has. */
const LOOK = 50;

/** Milliseconds in which a description that could not be drawn is not tried again. */
const REFUSED_FOR = 2 * 60_000;
/** Seconds after which a caller may ask again for a picture that could not be stored. */
const STORED_AFTER = 30;
/** What a write answers where its directory is no more: the figure was deleted meanwhile. */
const DELETED = ['ENOENT', 'ENOTDIR'];
/** Of so many descriptions it is remembered. */
const MOST_REFUSED = 1000;

/** The file of a figure's description; null for what is no picture of a figure of ours. */
export function descriptionOf(picture: string): string | null {
  if (extname(picture) !== '.png' || basename(dirname(picture)) !== 'fig') return null;
  return `${picture.slice(0, -'.png'.length)}.json`;
}

/** Pictures that are not among the files of an archive, but their descriptions are. */
export function undrawnAmong(entries: readonly Pick<ArchiveEntry, 'name'>[], directory: string): string[] {
  const names = new Set(entries.map(({ name }) => name));
  return [...names].flatMap((name) => {
    const picture = name.replace(/\.json$/, '.png');
    return !names.has(picture) && descriptionOf(`${directory}/${picture}`) ? [picture] : [];
  });
}

/**
 * Sees to it that a figure's picture is there: workers describe a figure when they record its task and draw it soon
 * after, but one may die in between.
 */
export function createUndrawnFigures(parsing: ParsingPool, log: Pick<Logger, 'warn' | 'error'>) {
  const underWay = new Map<string, Promise<void>>();
  /** One figure is drawn at a time, so that the many of an archive keep nobody's file waiting. */
  let last: Promise<void> = Promise.resolve();
  /** Pictures that could not be drawn: which state of the description, and when; the oldest first. */
  const refused = new Map<string, { etag: string; at: number }>();

  function refuse(picture: string, etag: string): void {
    refused.delete(picture);
    refused.set(picture, { etag, at: Date.now() });
    const [oldest] = refused.keys();
    if (refused.size > MOST_REFUSED && oldest) refused.delete(oldest);
  }

  /** Waits for the worker while it may be at it. @returns whether the picture is there, or cannot come */
  async function settles(picture: string, description: string): Promise<boolean> {
    for (let waited = 0; ; waited += LOOK) {
      if (await lstat(picture).catch(() => null)) return true;
      const described = await lstat(description).catch(() => null);
      if (!described?.isFile()) return true;
      if (waited >= FOLLOWS_WITHIN || Date.now() - described.mtimeMs > FOLLOWS_WITHIN) return false;
      await wait(LOOK);
    }
  }

  async function store(picture: string, png: Uint8Array, holds: () => Promise<boolean>): Promise<void> {
    try {
      await replaceFile(picture, png, { holds });
    } catch (thrown) {
      const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
      if (DELETED.includes(code)) return;
      log.error({ picture: basename(picture), error: messageOf(thrown) }, 'a picture cannot be stored');
      throw new CalibronError(
        'disk_unavailable',
        'The figure is drawn but cannot be stored. Ask again later; if it lasts, tell who operates the service: its log says why.',
        { retryAfter: STORED_AFTER, cause: thrown },
      );
    }
  }

  async function draw(picture: string, description: string): Promise<void> {
    const file = await openResolved(description);
    if (typeof file === 'string') return;
    const { handle, size, etag } = file;
    try {
      const before = refused.get(picture);
      if (before?.etag === etag && Date.now() - before.at < REFUSED_FOR) return;
      if (size > MAX_DESCRIPTION_BYTES) return;
      const answer = await parsing.run(
        { kind: 'figure', theme: 'light', descriptor: handle.fd, size },
        { kind: 'user', id: 'undrawn figures' },
      );
      if ('png' in answer) {
        // A worker may have drawn it meanwhile, or described it anew.
        const holds = async () =>
          !(await lstat(picture).catch(() => null)) && (await isUnreplaced(description, await handle.stat()));
        await store(picture, answer.png, holds);
        return;
      }
      log.warn({ picture: basename(picture), ...answer }, 'a figure cannot be drawn');
      refuse(picture, etag);
    } finally {
      await handle.close();
    }
  }

  async function provideOnce(picture: string, description: string): Promise<void> {
    if (await settles(picture, description)) return;
    const drawing = last.then(() => draw(picture, description));
    last = drawing.catch(() => {});
    try {
      await drawing;
    } catch (thrown) {
      if (thrown instanceof CalibronError) throw thrown;
      log.warn({ error: messageOf(thrown) }, 'a figure is not drawn');
    }
  }

  return {
    /**
     * @param picture its path, links resolved; whatever has no description of ours is left as it is
     * @throws too_many_requests, disk_unavailable where the picture cannot be stored
     */
    async provide(picture: string): Promise<void> {
      const description = descriptionOf(picture);
      if (description === null) return;
      const providing =
        underWay.get(picture) ?? provideOnce(picture, description).finally(() => underWay.delete(picture));
      underWay.set(picture, providing);
      await providing;
    },
  };
}

export type UndrawnFigures = ReturnType<typeof createUndrawnFigures>;
