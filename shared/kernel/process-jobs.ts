import { writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

/** What a process of limited-processes.ts answers for a job: its result, or the message of an unexpected error. */
export type Reply<Answer> = { answer: Answer } | { error: string };

/** Makes this process answer the jobs of its parent, one after another, until the parent is gone. */
export function serveJobs<Job, Answer>(work: (job: Job) => Promise<Answer>): void {
  yieldToOthers();
  process.on('disconnect', () => process.exit());
  process.on('message', (job: Job) => {
    work(job).then(
      (answer) => send({ answer }),
      (thrown: unknown) => send({ error: thrown instanceof Error ? thrown.message : String(thrown) }),
    );
  });

  function send(reply: Reply<Answer>): void {
    process.send?.(reply);
  }
}

/** Work for strangers takes processor time last, and is the first to be killed when memory runs out. */
function yieldToOthers(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Only Linux has such a file, and a sandbox may forbid both: the limits of time and size hold anyway.
  }
}
