import { recordKeeping } from './policies.ts';
import { createTargetWait, type WaitingStage } from './target-wait.ts';

export type TaskWait = ReturnType<typeof createTaskWait>;

/**
 * Lets targets wait whose next task is not in the release of the workers: a newer release planned it and was rolled back, or a
 * newer release has removed or renamed it.
 */
export function createTaskWait(stage: WaitingStage) {
  const whileShown = createTargetWait(stage);
  return {
    /**
     * Waits for a worker whose release has the task.
     * @param sentence what the run waits for, as the continuation of "Waiting for"
     * @returns false if the stage is stopped instead
     */
    beforePreparing: (
      label: string,
      { name, sentence }: { name: string; sentence: string },
    ): Promise<boolean> =>
      whileShown({ for: sentence, kind: 'release' }, () => {
        const summary = `${label}: wait for a release with ${name}`;
        const records = recordKeeping(stage.policy, { summary, id: `release · ${label}` });
        return stage.follow(records.awaitTask({ name }));
      }),
  };
}
