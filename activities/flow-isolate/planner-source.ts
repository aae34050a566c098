import { readFileSync } from 'node:fs';
import { compiledModule } from '../../shared/kernel/package-root.ts';

/** The planner's name in QuickJS stacks. */
export const PLANNER_FILE = 'activities/flow-isolate/inside/planner.ts';

let source: string | undefined;

/** What an isolate holds besides its flow, compiled to one module: the planner with what it imports. */
export function plannerSource(): string {
  source ??= readFileSync(compiledModule(PLANNER_FILE), 'utf8');
  return source;
}
