import { lstat } from 'node:fs/promises';
import { basename, dirname, extname } from 'node:path';
import { CalibronError, isError, messageOf } from '../../kernel/errors.ts';
import { createFairQueue, QueueFull } from '../../kernel/fair-queue.ts';
import { isUnreplaced, replaceFile } from '../../kernel/files/atomic-write.ts';
import { openResolved } from '../../kernel/files/paths.ts';
import type { Logger } from '../../kernel/log.ts';
import type { Asker, ParsingPool } from '../parsing/index.ts';

/** Maximum size in bytes of a description that is drawn: several times our largest map. */
export const MAX_DESCRIPTION_BYTES = 16 * 1024 * 1024;

/** Concurrent drawings, as many as the parsing pool has threads, and how many may wait: a page shows a hundred. */
const OF_USERS = { atOnce: 2, waitingPerUser: 200, waiting: 2000 };
const OF_VISITORS = { atOnce: 1, waitingPerUser: 200, waiting: 500 };

/** Milliseconds until a description that could not be drawn is tried again. */
const REFUSED_FOR = 2 * 60_000;
/** Seconds after which a caller may retry when a picture could not be stored. */
const STORED_AFTER = 30;
/** Write errors for a missing directory: the figure was deleted meanwhile. */
const DELETED = ['ENOENT', 'ENOTDIR'];
/** Maximum number of failed descriptions that are remembered. */
const MAX_REFUSED = 1000;

/** The description file of a figure's picture; null if the path is not a picture of our figures. */
export function descriptionOf(picture: string): string | null {
  if (extname(picture) !== '.png' || basename(dirname(picture)) !== 'fig') return null;
  return `${picture.slice(0, -'.png'.length)}.json`;
}

/** The picture file of a figure, drawn or not; null if the path is not a description of our figures. */
export function pictureOf(description: string): string | null {
  const picture = description.replace(/\.json$/, '.png');
  return picture !== description && descriptionOf(picture) !== null ? picture : null;
}

/** Draws figures that have a description and no picture. Concurrent requests for a figure share one drawing; users take turns. */
export function createUndrawnFigures(parsing: Pick<ParsingPool, 'run'>, log: Pick<Logger, 'warn' | 'error'>) {
  const underWay = new Map<string, Promise<void>>();
  const queues = { user: createFairQueue(OF_USERS), visitor: createFairQueue(OF_VISITORS) };
  /** Pictures that could not be drawn, with the version of the description and the time; oldest first. */
  const refused = new Map<string, { etag: string; at: number }>();

  function refuse(picture: string, etag: string): void {
    refused.delete(picture);
    refused.set(picture, { etag, at: Date.now() });
    const [oldest] = refused.keys();
    if (refused.size > MAX_REFUSED && oldest) refused.delete(oldest);
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
        'The figure was drawn but cannot be stored. Try again later; if this persists, tell the operator of the service: its log says why.',
        { retryAfter: STORED_AFTER, cause: thrown },
      );
    }
  }

  async function draw(picture: string, description: string, asker: Asker): Promise<void> {
    if (await isThere(picture)) return;
    const file = await openResolved(description);
    if (typeof file === 'string') return;
    const { handle, size, etag } = file;
    try {
      const before = refused.get(picture);
      if (before?.etag === etag && Date.now() - before.at < REFUSED_FOR) return;
      if (size > MAX_DESCRIPTION_BYTES) return;
      const answer = await parsing.run(
        { kind: 'figure', theme: 'light', descriptor: handle.fd, size },
        asker,
      );
      if ('png' in answer) {
        // Another process may have drawn it meanwhile, or another attempt of its task may have replaced the description.
        const holds = async () =>
          !(await isThere(picture)) && (await isUnreplaced(description, await handle.stat()));
        await store(picture, answer.png, holds);
        return;
      }
      log.warn({ picture: basename(picture), ...answer }, 'a figure cannot be drawn');
      refuse(picture, etag);
    } finally {
      await handle.close();
    }
  }

  async function drawInTurn(picture: string, description: string, asker: Asker): Promise<void> {
    try {
      await queues[asker.kind].run({ user: asker.id }, () => draw(picture, description, asker));
    } catch (thrown) {
      if (thrown instanceof QueueFull) {
        throw new CalibronError('too_many_requests', 'Too many figures wait to be drawn; try again.', {
          retryAfter: 1,
          cause: thrown,
        });
      }
      if (thrown instanceof CalibronError) throw thrown;
      log.warn({ error: messageOf(thrown) }, 'a figure is not drawn');
    }
  }

  /**
   * Resolves when the picture exists or cannot be drawn.
   * @param picture its path, links resolved; a path without a description of ours is ignored
   * @param asker whose turn and limits count
   * @throws too_many_requests, disk_unavailable if the picture cannot be stored
   */
  async function provide(picture: string, asker: Asker): Promise<void> {
    const description = descriptionOf(picture);
    if (description === null) return;
    const other = underWay.get(picture);
    if (other) {
      // The first requester's limits do not apply to this one, so try again.
      return other.catch((thrown: unknown) => {
        if (isError(thrown, 'too_many_requests')) {
          return provide(picture, asker);
        }
        throw thrown;
      });
    }
    const providing = drawInTurn(picture, description, asker).finally(() => underWay.delete(picture));
    underWay.set(picture, providing);
    await providing;
  }

  return { provide };
}

async function isThere(picture: string): Promise<boolean> {
  return (await lstat(picture).catch(() => null)) !== null;
}

export type UndrawnFigures = ReturnType<typeof createUndrawnFigures>;
