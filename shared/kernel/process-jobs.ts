import { writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

/** Answer of a process of limited-processes.ts: the job's result, or the message of an unexpected error. */
export type Reply<Answer> = { answer: Answer } | { error: string };

/** Makes this process handle its parent's jobs, one at a time, until the parent is gone. */
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

/** Lowers the priority of this process, and makes it the first to be killed if memory runs out. */
function yieldToOthers(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Only Linux has this file, and a sandbox may forbid both. The limits of time and size apply anyway.
  }
}
