import type { FlowCommand } from '../../../shared/flows/model.ts';
import type { PlannerSetup } from '../protocol.ts';
import type { Commands } from './commands.ts';
import type { Entries } from './entries.ts';
import type { Lines } from './lines.ts';
import { stageRequest } from './stage-request.ts';
import { createTargets } from './targets.ts';
import { deepFreeze, show } from './values.ts';

/** What the flow's function receives: `Session` of calibron.d.ts. */
export function createSession(
  { context, limits }: PlannerSetup,
  { commands, entries, lines }: { commands: Commands; entries: Entries; lines: Lines },
): object {
  deepFreeze(context.parameters);

  const session = {
    chip: context.chip_id,
    parameters: context.parameters,
    targets: createTargets(context),

    run(stage: unknown) {
      const line = lines.ofCaller();
      const request = stageRequest(stage, context);
      const what = `stage "${request.name}"`;
      if (request.targets.length > 0) return commands.issue(request, what, line);
      entries.log(`${what} has no targets and is not run`);
      return commands.skip(request.name, what, line);
    },

    sleep(seconds: unknown) {
      const line = lines.ofCaller();
      if (typeof seconds !== 'number' || !(seconds >= 0 && seconds <= limits.sleepSeconds)) {
        const range = `seconds from 0 to ${limits.sleepSeconds}`;
        throw new RangeError(`session.sleep takes ${range}, but got ${show(seconds)}`);
      }
      const command: FlowCommand = { kind: 'sleep', seconds };
      return commands.issue(command, `the wait of ${seconds} s`, line);
    },

    log: (...parts: unknown[]) => entries.log(...parts),
    record: (name: unknown, value: unknown) => entries.record(name, value),
  };
  for (const part of Object.values(session)) Object.freeze(part);
  return Object.freeze(session);
}
