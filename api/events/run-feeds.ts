import type { ExecutionEvents } from '../../shared/domain/runs/event-model.ts';
import type { RunNews, RunView, RunWatch } from '../../shared/domain/runs/index.ts';
import { eventIdOf, frameOf, type Heard, heartbeat } from './frames.ts';

/** Milliseconds between two looks at a run that somebody listens to. */
const LOOK = 500;
/** Milliseconds between two signs of life; proxies close what is silent for longer, most after a minute. */
const HEARTBEAT = 15_000;

/** The parts of a run's view that are told anew when they change, in this order. */
const viewParts = ['state', 'progress', 'waiting'] as const;
type ViewPart = (typeof viewParts)[number];

/** One who listens to a run. */
export interface Listener {
  /** There may be something new. */
  wake(): void;
  /** A frame without content, for a connection that would else be silent. */
  beat(frame: Buffer): void;
  /** The feed ends before the run does, because the server stops. */
  leave(): void;
}

/** A task that ended, or an entry of the flow's log. */
export interface NewsFrame {
  readonly news: RunNews;
  /** What a listener of all frames up to this one has heard. */
  readonly heard: Heard;
  /** With the id that says so. */
  readonly frame: Buffer;
}

/** What all listeners of one run share: it is looked at, and each event rendered, once for all of them. */
export interface RunFeed {
  /** What happened so far, in order. */
  readonly news: readonly NewsFrame[];
  /** How much that is. */
  readonly told: Heard;
  /** The newest frame of each part of the view. */
  readonly viewParts: ReadonlyMap<ViewPart, Buffer>;
  /** What ends the feed, null while the run goes on. */
  readonly end: ExecutionEvents['end'] | null;
  /** True when there is nothing to tell any more. */
  readonly over: boolean;
}

export type RunFeeds = ReturnType<typeof createRunFeeds>;

/** Feeds of the runs that somebody listens to at the moment. */
export function createRunFeeds(watch: (projectId: string, executionId: string) => RunWatch) {
  const feeds = new Map<string, ReturnType<typeof startFeed>>();
  let closed = false;

  return {
    /**
     * Listens to a run. Resolves when the run has been looked at for the first time.
     * @returns the feed and a function that ends the listening
     */
    async listen(
      projectId: string,
      executionId: string,
      listener: Listener,
    ): Promise<{ feed: RunFeed; leave: () => void }> {
      const key = `${projectId}/${executionId}`;
      const running = feeds.get(key) ?? startFeed(watch(projectId, executionId));
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

    /** How many listen at the moment. */
    listening: (): number => [...feeds.values()].reduce((sum, { listeners }) => sum + listeners.size, 0),

    /** Ends every listening, so that the server can stop. */
    close(): void {
      closed = true;
      for (const { listeners } of feeds.values()) for (const listener of [...listeners]) listener.leave();
    },
  };
}

/** Entries have numbers of their own, counted from 0. */
function heardAfter({ tasks, entries }: Heard, news: RunNews): Heard {
  return news.event === 'task' ? { tasks: tasks + 1, entries } : { tasks, entries: news.data.index + 1 };
}

function startFeed(watch: RunWatch) {
  const listeners = new Set<Listener>();
  const news: NewsFrame[] = [];
  const parts = new Map<ViewPart, Buffer>();
  let told: Heard = { tasks: 0, entries: 0 };
  let end: ExecutionEvents['end'] | null = null;
  let over = false;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const feed: RunFeed = {
    news,
    get told() {
      return told;
    },
    viewParts: parts,
    get end() {
      return end;
    },
    get over() {
      return over;
    },
  };

  function tell(view: RunView): void {
    for (const name of viewParts) {
      const frame = frameOf(name, view[name]);
      if (!parts.get(name)?.equals(frame)) parts.set(name, frame);
    }
    if (!view.end) return;
    end = view.end;
    over = true;
  }

  async function look(): Promise<void> {
    const seen = await watch.look();
    if (seen) {
      for (const each of seen.news) {
        told = heardAfter(told, each);
        news.push({ news: each, heard: told, frame: frameOf(each.event, each.data, eventIdOf(told)) });
      }
      tell(seen.view);
    } else over = true;
    for (const listener of [...listeners]) listener.wake();
  }

  function scheduleLook(): void {
    if (stopped || over) return;
    timer = setTimeout(() => {
      // A store that is away comes back; until then the listeners see signs of life only.
      look()
        .catch(() => undefined)
        .finally(scheduleLook);
    }, LOOK);
  }

  const beating = setInterval(() => {
    for (const listener of [...listeners]) listener.beat(heartbeat);
  }, HEARTBEAT);
  const ready = look().finally(scheduleLook);
  // Whoever listens hears of a failure; a feed that everybody has left has nobody to tell.
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
