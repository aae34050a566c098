import type { TaskName } from './catalog.ts';
import type { CheckForm } from './check-model.ts';
import { ramseyCheck } from './ramsey/check.ts';
import { t1Check } from './t1/check.ts';
import { t2EchoCheck } from './t2-echo/check.ts';

/** The check forms, by task. */
const checks = {
  CheckT1: t1Check,
  CheckT2Echo: t2EchoCheck,
  CheckRamsey: ramseyCheck,
} satisfies Partial<Record<TaskName, CheckForm>>;

/** Tasks with a check form. */
export const checkedTasks: readonly string[] = Object.keys(checks);

/** The check form of a task; undefined if it has none. */
export function checkOf(taskName: string): CheckForm | undefined {
  const all: Readonly<Record<string, CheckForm>> = checks;
  return Object.hasOwn(all, taskName) ? all[taskName] : undefined;
}
