import type { FlowEntry } from '../../../shared/domain/flows/model.ts';
import type { PlannerSetup } from '../protocol.ts';
import { parse, shorten, show, toJson } from './values.ts';

export interface Entries {
  log(...parts: unknown[]): void;
  record(name: unknown, value: unknown): void;
  /** Entries since the previous command. */
  recent(): FlowEntry[];
  /** Called when a command is answered: later entries belong to the next command. */
  nextCommand(): void;
}

/** Log and record entries of a flow, numbered throughout its run. */
export function createEntries(limits: PlannerSetup['limits']): Entries {
  let count = 0;
  let recent: FlowEntry[] = [];

  return {
    recent: () => recent,
    nextCommand() {
      recent = [];
    },

    log(...parts) {
      if (count >= limits.entries) return;
      const last = count === limits.entries - 1;
      const message = last ? 'later messages of this run are not kept' : parts.map(show).join(' ');
      recent.push({ kind: 'log', index: count, message: shorten(message, limits.messageCharacters) });
      count += 1;
    },

    record(name, value) {
      if (typeof name !== 'string' || name === '' || name.length > 100) {
        throw new TypeError(
          `session.record: name must be a text of 1 to 100 characters, but got ${show(name)}`,
        );
      }
      // The last entry is reserved for a log message that says that messages are missing.
      if (count >= limits.entries - 1) {
        throw new RangeError(`session.record: a run keeps at most ${limits.entries} messages and values`);
      }
      const json = toJson(value, `session.record: the value "${name}"`, limits.valueBytes, limits.levels);
      recent.push({ kind: 'record', index: count, name, value: parse(json) });
      count += 1;
    },
  };
}
