import type { z } from 'zod';
import { CalibronError } from '../../kernel/errors.ts';
import { jsonProblem } from '../../kernel/json-bounds.ts';
import {
  type MenuBody,
  type MenuContent,
  names,
  type ScheduleNode,
  scheduleNode,
  targetId,
  taskDetails,
} from './model.ts';

/** The same limits as for request bodies, applied here to JSON within a text. */
const BOUNDS = { levels: 64, values: 200_000, keyCharacters: 1000 };

/** Parses the parts of a menu that are written as text. @throws invalid_input naming the part that cannot be parsed */
export function contentOf(written: Pick<MenuBody, keyof MenuContent>): MenuContent {
  const { name, schedule, tasks, task_details, tags } = written;
  return {
    name,
    schedule: typeof schedule === 'string' ? scheduleIn(schedule) : schedule,
    tasks: namesIn('tasks', tasks),
    task_details: typeof task_details === 'string' ? detailsIn(task_details) : (task_details ?? {}),
    tags: namesIn('tags', tags),
  };
}

/** Parses the JSON of a tree; a bare id is a tree of one target. */
function scheduleIn(written: string): ScheduleNode {
  const bare = targetId.safeParse(written.trim());
  return bare.success ? bare.data : parsed('schedule', written, scheduleNode);
}

function detailsIn(written: string): MenuContent['task_details'] {
  return written.trim() === '' ? {} : parsed('task_details', written, taskDetails);
}

function namesIn(part: string, written: string | readonly string[] | null): string[] {
  if (typeof written !== 'string') return [...(written ?? [])];
  if (written.trim().startsWith('[')) return parsed(part, written, names);
  const read = names.safeParse(
    written
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  );
  if (!read.success) throw unreadable(part);
  return read.data;
}

function parsed<Content>(part: string, written: string, schema: z.ZodType<Content>): Content {
  let value: unknown;
  try {
    value = JSON.parse(written);
  } catch {
    throw unreadable(part);
  }
  if (jsonProblem(value, BOUNDS)) throw unreadable(part);
  const read = schema.safeParse(value);
  if (!read.success) throw unreadable(part);
  return read.data;
}

function unreadable(part: string): CalibronError {
  const msg = 'Input should be the JSON of its documented form';
  return new CalibronError('invalid_input', 'The menu is not valid.', {
    problems: [{ type: 'value_error', loc: ['body', part], msg }],
  });
}
