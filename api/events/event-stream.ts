import { Readable } from 'node:stream';
import type { Listener, RunFeed, RunFeeds } from './run-feeds.ts';

/** Milliseconds that one connection lasts; the client then comes back by itself. */
const LIFETIME = 3_600_000;

/**
 * The events of a run for one listener: first how the run stands, then each ended task after the `seen`-th, and
 * what changes, until the run has ended. It takes from the shared feed as fast as the connection does, so that a
 * slow listener costs no memory.
 * @param revoked ends the stream before the run ends
 * @returns null when the listener has seen the end already
 */
export async function openEventStream(
  feeds: RunFeeds,
  run: { projectId: string; executionId: string },
  seen: number,
  revoked?: AbortSignal,
): Promise<Readable | null> {
  const stream = new Readable({ read: () => pump() });
  let feed: RunFeed | null = null;
  let cursor = 0;
  const sent = new Map<string, Buffer>();
  let wanted = false;

  function next(from: RunFeed): Buffer | null {
    for (const [name, frame] of from.viewParts) {
      if (sent.get(name) === frame) continue;
      sent.set(name, frame);
      return frame;
    }
    const task = from.tasks[cursor];
    if (task) cursor += 1;
    return task ?? null;
  }

  function finish(last: Buffer | null): void {
    if (stream.readableEnded || stream.destroyed) return;
    feed = null;
    if (last) stream.push(last);
    stream.push(null);
  }

  function pump(): void {
    wanted = true;
    while (feed && wanted) {
      const frame = next(feed);
      if (frame) wanted = stream.push(frame);
      else if (feed.over) finish(feed.end);
      else return;
    }
  }

  const listener: Listener = {
    wake: () => {
      if (wanted) pump();
    },
    beat: (frame) => {
      if (feed && wanted) wanted = stream.push(frame);
    },
    leave: () => finish(null),
  };
  const { feed: opened, leave } = await feeds.listen(run.projectId, run.executionId, listener);
  if (opened.over && seen > opened.tasks.length) {
    leave();
    return null;
  }
  cursor = Math.min(seen, opened.tasks.length);
  feed = opened;
  const leaveEarly = () => finish(null);
  const lifetime = setTimeout(leaveEarly, LIFETIME);
  revoked?.addEventListener('abort', leaveEarly);
  stream.once('close', () => {
    clearTimeout(lifetime);
    revoked?.removeEventListener('abort', leaveEarly);
    leave();
  });
  if (revoked?.aborted) leaveEarly();
  pump();
  return stream;
}
