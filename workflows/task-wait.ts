import type { MissingTask } from '../activities/contracts/steps.ts';
import { recordKeeping } from './policies.ts';
import { createTargetWait, type WaitingStage } from './target-wait.ts';

export type TaskWait = ReturnType<typeof createTaskWait>;

/**
 * Lets targets wait whose next task is not in the release of the workers, or has other run parameters: a newer release planned
 * it and was rolled back, or a newer release has removed or renamed it. Targets also wait for a task that a backend declared
 * and whose declaration is gone.
 */
export function createTaskWait(stage: WaitingStage) {
  const whileShown = createTargetWait(stage);
  return {
    /**
     * Waits for a worker whose release has the task with its planned run parameters, or for the declaration.
     * @returns false if the stage is stopped instead
     */
    beforePreparing: (
      label: string,
      { name, run_parameters, declaration, message }: MissingTask,
    ): Promise<boolean> =>
      whileShown({ for: message, kind: 'release' }, () => {
        const summary = `${label}: wait for a release with ${name}`;
        const records = recordKeeping(stage.policy, { summary, id: `release · ${label}` });
        const declared = declaration && { backend: stage.run.backend, declaration };
        return stage.follow(
          records.awaitTask({
            name,
            ...(run_parameters && { run_parameters }),
            ...(declared && { declared }),
          }),
        );
      }),
  };
}
