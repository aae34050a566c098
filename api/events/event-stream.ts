import { Readable } from 'node:stream';
import { eventIdOf, frameOf, type Heard } from './frames.ts';
import type { Listener, NewsFrame, RunFeed, RunFeeds } from './run-feeds.ts';

/** Milliseconds that one connection lasts; the client then comes back by itself. */
const LIFETIME = 3_600_000;

/**
 * The events of a run for one listener: first how the run stands, then what happened beyond what was `heard`, and
 * what changes, until the run has ended. It takes from the shared feed as fast as the connection does, so that a
 * slow listener costs no memory.
 * @param revoked ends the stream before the run ends
 * @returns null when the listener has seen the end already
 */
export async function openEventStream(
  feeds: RunFeeds,
  run: { projectId: string; executionId: string },
  heard: Heard,
  revoked?: AbortSignal,
): Promise<Readable | null> {
  const stream = new Readable({ read: () => pump() });
  let feed: RunFeed | null = null;
  let cursor = 0;
  let { tasks, entries } = heard;
  const sent = new Map<string, Buffer>();
  let wanted = false;

  function next(from: RunFeed): Buffer | null {
    for (const [name, frame] of from.viewParts) {
      if (sent.get(name) === frame) continue;
      sent.set(name, frame);
      return frame;
    }
    while (cursor < from.news.length) {
      const frame = unheard(from.news[cursor]);
      cursor += 1;
      if (frame) return frame;
    }
    return null;
  }

  /** A piece of news for this listener, null when it has heard it. */
  function unheard(piece: NewsFrame | undefined): Buffer | null {
    if (!piece) return null;
    const { news, heard: shared, frame } = piece;
    if (news.event === 'task' ? shared.tasks <= tasks : shared.entries <= entries) return null;
    if (news.event === 'task') tasks = shared.tasks;
    else entries = shared.entries;
    if (tasks === shared.tasks && entries === shared.entries) return frame;
    // It came back with more of the other kind than lies before this one in the feed, and must not hear that again.
    return frameOf(news.event, news.data, eventIdOf({ tasks, entries }));
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
      else if (feed.over) finish(endOf(feed));
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
  const { told } = opened;
  if (opened.over && heard.tasks > told.tasks) {
    leave();
    return null;
  }
  tasks = Math.min(tasks, told.tasks);
  entries = Math.min(entries, told.entries);
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

/** The last frame, counted as one task more; null for a run that is gone. */
function endOf({ end, told }: RunFeed): Buffer | null {
  return end && frameOf('end', end, eventIdOf({ ...told, tasks: told.tasks + 1 }));
}
