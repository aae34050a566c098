import type { ExecutionEvents } from '../../shared/domain/runs/event-model.ts';

/**
 * An event in its wire format (https://html.spec.whatwg.org/multipage/server-sent-events.html). The JSON has no line
 * breaks, so it fits in one `data` line.
 */
export function frameOf<Name extends keyof ExecutionEvents>(
  name: Name,
  data: ExecutionEvents[Name],
  id?: string,
): Buffer {
  return eventFrame(name, data, id);
}

/**
 * Like {@link frameOf}, for any kind of event. The JSON also contains the name, as `type`, because clients that read the
 * stream with `fetch` often read only the data lines.
 */
export function eventFrame(name: string, data: object, id?: string): Buffer {
  const lines = [
    ...(id === undefined ? [] : [`id: ${id}`]),
    `event: ${name}`,
    `data: ${JSON.stringify({ ...data, type: name })}`,
  ];
  return Buffer.from(`${lines.join('\n')}\n\n`);
}

/** How much of a run's news a listener has received: number of ended tasks, and number of entries of the flow's log. */
export interface Heard {
  tasks: number;
  entries: number;
}

/** Event id for these counts: `<tasks>`, or `<tasks>.<entries>` if there are log entries. */
export function eventIdOf({ tasks, entries }: Heard): string {
  return entries === 0 ? String(tasks) : `${tasks}.${entries}`;
}

/** Parses a Last-Event-ID. Returns zero counts if the id is not in our format. */
export function heardUpTo(eventId: string | undefined): Heard {
  const [, tasks = 0, entries = 0] = /^(\d{1,9})(?:\.(\d{1,9}))?$/.exec(eventId ?? '') ?? [];
  return { tasks: Number(tasks), entries: Number(entries) };
}

/** A comment, which clients ignore. */
export const heartbeat = Buffer.from(':\n\n');
