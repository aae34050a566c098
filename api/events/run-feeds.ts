import type { ExecutionEvents } from '../../shared/domain/runs/event-model.ts';
import type { RunNews, RunView, RunWatch } from '../../shared/domain/runs/index.ts';
import { createFairQueue, type FairQueue, type Share } from '../../shared/kernel/fair-queue.ts';
import type { ExecutionId, ProjectId } from '../../shared/kernel/ids.ts';
import { eventIdOf, frameOf, type Heard, heartbeat } from './frames.ts';

/** Polling interval in milliseconds for a run that has listeners. */
const LOOK = 500;
/** Milliseconds between two heartbeats. Proxies close idle connections, most of them after a minute. */
const HEARTBEAT = 15_000;

/** Maximum number of runs that a process polls at the same time: in total, per user, and per user while others listen too. */
const LOOKS = { atOnce: 8, atOncePerUser: 4, atOncePerUserShared: 1, restShared: 1 };

/** The parts of a run's view that are sent again when they change, in this order. */
const viewParts = ['state', 'progress', 'waiting'] as const;
type ViewPart = (typeof viewParts)[number];

/** A listener of a run. */
export interface Listener {
  /** Who listens. A poll of a run uses the share of the listener that has listened longest. */
  readonly share: Share;
  /** Called when there may be something new. */
  wake(): void;
  /** Called with a frame without content, which keeps an idle connection alive. */
  beat(frame: Buffer): void;
  /** Called when the feed ends before the run, because the server stops. */
  leave(): void;
}

/** A task that ended, or an entry of the flow's log. */
export interface NewsFrame {
  readonly news: RunNews;
  /** The counts for a listener that has received all frames up to this one. */
  readonly heard: Heard;
  /** The rendered event, with `heard` as its id. */
  readonly frame: Buffer;
}

/** Shared by all listeners of a run, so that the run is polled and each event rendered only once. */
export interface RunFeed {
  /** All news so far, in order. */
  readonly news: readonly NewsFrame[];
  /** Counts of all news so far. */
  readonly sent: Heard;
  /** The newest frame of each part of the view. */
  readonly viewParts: ReadonlyMap<ViewPart, Buffer>;
  /** Data of the last event, null while the run continues. */
  readonly end: ExecutionEvents['end'] | null;
  /** True when no more events will follow. */
  readonly over: boolean;
}

export type RunFeeds = ReturnType<typeof createRunFeeds>;

/** Feeds of the runs that currently have listeners. Users share the polls, however many runs each follows. */
export function createRunFeeds(watch: (projectId: ProjectId, executionId: ExecutionId) => RunWatch) {
  const feeds = new Map<string, ReturnType<typeof startFeed>>();
  const looks = createFairQueue(LOOKS);
  let closed = false;

  return {
    /**
     * Adds a listener to a run. Resolves after the first poll of the run.
     * @returns the feed and a function that removes the listener
     */
    async listen(
      projectId: ProjectId,
      executionId: ExecutionId,
      listener: Listener,
    ): Promise<{ feed: RunFeed; leave: () => void }> {
      const key = `${projectId}/${executionId}`;
      const running =
        feeds.get(key) ?? startFeed(watch(projectId, executionId), { looks, opener: listener.share });
      feeds.set(key, running);
      running.listeners.add(listener);
      const leave = () => {
        running.listeners.delete(listener);
        if (running.listeners.size > 0) return;
        running.stop();
        if (feeds.get(key) === running) feeds.delete(key);
      };
      try {
        await running.ready;
      } catch (thrown) {
        leave();
        throw thrown;
      }
      if (closed) listener.leave();
      return { feed: running.feed, leave };
    },

    /** The current number of listeners. */
    listening: (): number => [...feeds.values()].reduce((sum, { listeners }) => sum + listeners.size, 0),

    /** Disconnects all listeners, so that the server can stop. */
    close(): void {
      closed = true;
      for (const { listeners } of feeds.values()) for (const listener of [...listeners]) listener.leave();
    },
  };
}

/** The counts after a piece of news. Log entries carry their own index, which starts at 0. */
function heardAfter({ tasks, entries }: Heard, news: RunNews): Heard {
  return news.event === 'task' ? { tasks: tasks + 1, entries } : { tasks, entries: news.data.index + 1 };
}

function startFeed(watch: RunWatch, { looks, opener }: { looks: FairQueue; opener: Share }) {
  const listeners = new Set<Listener>();
  const news: NewsFrame[] = [];
  const parts = new Map<ViewPart, Buffer>();
  let sent: Heard = { tasks: 0, entries: 0 };
  let end: ExecutionEvents['end'] | null = null;
  let over = false;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const feed: RunFeed = {
    news,
    get sent() {
      return sent;
    },
    viewParts: parts,
    get end() {
      return end;
    },
    get over() {
      return over;
    },
  };

  function sendNews(view: RunView): void {
    for (const name of viewParts) {
      const frame = frameOf(name, view[name]);
      if (!parts.get(name)?.equals(frame)) parts.set(name, frame);
    }
    if (!view.end) return;
    end = view.end;
    over = true;
  }

  /** Polls the run when it is the turn of its listeners. */
  async function look(): Promise<void> {
    const [first] = listeners;
    await looks.run(first?.share ?? opener, async () => {
      if (!stopped) await lookNow();
    });
  }

  async function lookNow(): Promise<void> {
    const seen = await watch.look();
    if (seen) {
      for (const each of seen.news) {
        sent = heardAfter(sent, each);
        news.push({ news: each, heard: sent, frame: frameOf(each.event, each.data, eventIdOf(sent)) });
      }
      sendNews(seen.view);
    } else over = true;
    for (const listener of [...listeners]) listener.wake();
  }

  function scheduleLook(): void {
    if (stopped || over) return;
    timer = setTimeout(() => {
      // If the store is unavailable, retry at the next poll. Until then the listeners receive only heartbeats.
      look()
        .catch(() => undefined)
        .finally(scheduleLook);
    }, LOOK);
  }

  const beating = setInterval(() => {
    for (const listener of [...listeners]) listener.beat(heartbeat);
  }, HEARTBEAT);
  const ready = look().finally(scheduleLook);
  // Listeners that wait for `ready` receive the failure. Without any, it must not become an unhandled rejection.
  ready.catch(() => undefined);
  return {
    feed,
    listeners,
    ready,
    stop(): void {
      stopped = true;
      clearTimeout(timer);
      clearInterval(beating);
    },
  };
}
