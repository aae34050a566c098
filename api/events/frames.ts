import type { ExecutionEvents } from '../../shared/domain/runs/event-model.ts';

/** An event as it goes over the wire (https://html.spec.whatwg.org/multipage/server-sent-events.html); JSON has no line breaks, so one `data` line holds it. */
export function frameOf<Name extends keyof ExecutionEvents>(
  name: Name,
  data: ExecutionEvents[Name],
  id?: number,
): Buffer {
  const lines = [
    ...(id === undefined ? [] : [`id: ${id}`]),
    `event: ${name}`,
    `data: ${JSON.stringify(data)}`,
  ];
  return Buffer.from(`${lines.join('\n')}\n\n`);
}

/** A comment, which clients pass over. */
export const heartbeat = Buffer.from(':\n\n');
