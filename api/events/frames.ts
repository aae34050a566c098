import type { ExecutionEvents } from '../../shared/domain/runs/event-model.ts';

/** An event as it goes over the wire (https://html.spec.whatwg.org/multipage/server-sent-events.html); JSON has no line breaks, so one `data` line holds it. */
export function frameOf<Name extends keyof ExecutionEvents>(
  name: Name,
  data: ExecutionEvents[Name],
  id?: string,
): Buffer {
  return eventFrame(name, data, id);
}

/**
 * As {@link frameOf}, for any kind of event. The name is also in the JSON, as `type`, because clients that read the
 * stream with `fetch` often look at the data lines only.
 */
export function eventFrame(name: string, data: object, id?: string): Buffer {
  const lines = [
    ...(id === undefined ? [] : [`id: ${id}`]),
    `event: ${name}`,
    `data: ${JSON.stringify({ ...data, type: name })}`,
  ];
  return Buffer.from(`${lines.join('\n')}\n\n`);
}

/** How much of a run's news somebody has heard: tasks that ended, and entries of the flow's log. */
export interface Heard {
  tasks: number;
  entries: number;
}

/** The id of an event after which this much was heard: `<tasks>`, and `.<entries>` where the flow logged. */
export function eventIdOf({ tasks, entries }: Heard): string {
  return entries === 0 ? String(tasks) : `${tasks}.${entries}`;
}

/** What the listener that sends this Last-Event-ID has heard; nothing for one that is not ours. */
export function heardUpTo(eventId: string | undefined): Heard {
  const [, tasks = 0, entries = 0] = /^(\d{1,9})(?:\.(\d{1,9}))?$/.exec(eventId ?? '') ?? [];
  return { tasks: Number(tasks), entries: Number(entries) };
}

/** A comment, which clients pass over. */
export const heartbeat = Buffer.from(':\n\n');
