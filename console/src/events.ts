import { apiBase, type Schemas } from './api.ts';

export type RunEvent =
  | Schemas['ExecutionStateEvent']
  | Schemas['ExecutionProgressEvent']
  | Schemas['ExecutionTaskEvent']
  | Schemas['ExecutionLogEvent']
  | Schemas['ExecutionWaitingEvent']
  | Schemas['ExecutionEndEvent'];

const RETRY_MS = 2000;
const KINDS: readonly string[] = ['state', 'progress', 'task', 'log', 'waiting', 'end'];

export interface Following {
  projectId: string;
  executionId: string;
  onEvents(events: readonly RunEvent[]): void;
  /** Whether events arrive; false while the service cannot be reached. */
  onConnected(isConnected: boolean): void;
}

/**
 * Follows the events of a run until it ends or the returned function is called. A lost connection continues where it
 * stopped. The browser's own EventSource cannot name the project, so the stream is read here.
 */
export function followRun({ projectId, executionId, onEvents, onConnected }: Following): () => void {
  const ending = new AbortController();
  const { signal } = ending;
  let last = '';

  async function listen(): Promise<'over' | 'lost'> {
    const response = await fetch(`${apiBase}/executions/${encodeURIComponent(executionId)}/events`, {
      headers: { 'x-project-id': projectId, ...(last !== '' && { 'last-event-id': last }) },
      signal,
    });
    if (response.status === 204) return 'over';
    // Without the session or the run, asking again would not help; the page itself shows why.
    if (response.status >= 400 && response.status < 500 && response.status !== 429) return 'over';
    if (!response.ok || !response.body) return 'lost';
    onConnected(true);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return 'lost';
      const frames = (text + value).split('\n\n');
      text = frames.pop() ?? '';
      const events = frames.flatMap((frame) => {
        const fields = new Map(frame.split('\n').map((line) => fieldOf(line)));
        last = fields.get('id') ?? last;
        const event = eventOf(fields.get('data'));
        return event ? [event] : [];
      });
      if (events.length > 0) onEvents(events);
      if (events.some(({ type }) => type === 'end')) return 'over';
    }
  }

  async function follow(): Promise<void> {
    while (!signal.aborted) {
      const outcome = await listen().catch(() => 'lost' as const);
      if (outcome === 'over' || signal.aborted) return;
      onConnected(false);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  void follow();
  return () => ending.abort();
}

function fieldOf(line: string): [string, string] {
  const colon = line.indexOf(':');
  return colon < 0 ? [line, ''] : [line.slice(0, colon), line.slice(colon + 1).trimStart()];
}

function eventOf(data: string | undefined): RunEvent | null {
  if (data === undefined) return null;
  const event: unknown = JSON.parse(data);
  return isEvent(event) ? event : null;
}

/** A later version of the service may send other kinds, which are left out. */
function isEvent(value: unknown): value is RunEvent {
  return typeof value === 'object' && value !== null && 'type' in value && KINDS.includes(String(value.type));
}
