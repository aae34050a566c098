import { readFileSync } from 'node:fs';
import { compiledModule } from '../../shared/kernel/package-root.ts';

/** The planner's name in QuickJS stacks. */
export const PLANNER_FILE = 'activities/flow-isolate/inside/planner.ts';

let source: string | undefined;

/** The planner and its imports, bundled to one module. An isolate contains this and its flow. */
export function plannerSource(): string {
  source ??= readFileSync(compiledModule(PLANNER_FILE), 'utf8');
  return source;
}
