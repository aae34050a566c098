import { Readable } from 'node:stream';
import type { ExecutionId, ProjectId, UserId } from '../../shared/kernel/ids.ts';
import { eventIdOf, frameOf, type Heard } from './frames.ts';
import type { Listener, NewsFrame, RunFeed, RunFeeds } from './run-feeds.ts';

/** Maximum lifetime of a connection in milliseconds. Clients then reconnect automatically. */
const LIFETIME = 3_600_000;

/**
 * The events of a run for one listener: first the current state of the run, then the news after `heard`, then changes
 * until the run has ended. The stream reads from the shared feed at the pace of the connection, so that a slow listener
 * costs no memory.
 * @param run the run, and the user who listens
 * @param revoked ends the stream before the run ends
 * @returns null if the listener has already received the end
 */
export async function openEventStream(
  feeds: RunFeeds,
  run: { projectId: ProjectId; executionId: ExecutionId; userId: UserId },
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

  /** The frame of a piece of news, or null if the listener has already received it. */
  function unheard(piece: NewsFrame | undefined): Buffer | null {
    if (!piece) return null;
    const { news, heard: shared, frame } = piece;
    if (news.event === 'task' ? shared.tasks <= tasks : shared.entries <= entries) return null;
    if (news.event === 'task') tasks = shared.tasks;
    else entries = shared.entries;
    if (tasks === shared.tasks && entries === shared.entries) return frame;
    // The listener has already received later news of the other kind. Use its own counts in the id, so that this news
    // is not sent again after a reconnect.
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
    share: { user: run.userId, project: run.projectId },
    wake: () => {
      if (wanted) pump();
    },
    beat: (frame) => {
      if (feed && wanted) wanted = stream.push(frame);
    },
    leave: () => finish(null),
  };
  const { feed: opened, leave } = await feeds.listen(run.projectId, run.executionId, listener);
  const { sent: sentBefore } = opened;
  if (opened.over && heard.tasks > sentBefore.tasks) {
    leave();
    return null;
  }
  tasks = Math.min(tasks, sentBefore.tasks);
  entries = Math.min(entries, sentBefore.entries);
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

/** The last frame, whose id counts one more task; null if the run no longer exists. */
function endOf({ end, sent }: RunFeed): Buffer | null {
  return end && frameOf('end', end, eventIdOf({ ...sent, tasks: sent.tasks + 1 }));
}
