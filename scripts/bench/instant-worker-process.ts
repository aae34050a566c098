import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { packageRoot } from '../../shared/kernel/package-root.ts';
import type { Laboratory } from '../../test/support/laboratory.ts';

/** Counts by command and collection. */
export type Commands = Readonly<Record<string, number>>;

const counted = z.object({ commands: z.record(z.string(), z.number()) });

/** The worker of `instant-worker.ts`, in a separate process. */
export interface InstantWorker {
  pid: number;
  /** Commands that it has sent to the store so far. */
  commands(): Promise<Commands>;
  stop(): Promise<void>;
}

/** Starts the worker for a laboratory and waits until it serves. */
export async function startInstantWorker(
  lab: Pick<Laboratory, 'variables' | 'directory'>,
  environment: Readonly<Record<string, string>>,
): Promise<InstantWorker> {
  const program = fileURLToPath(new URL('instant-worker.ts', import.meta.url));
  const child = fork(program, {
    cwd: fileURLToPath(packageRoot),
    env: { ...process.env, ...lab.variables, ...environment },
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const log = createWriteStream(join(lab.directory, 'instant-worker.log'));
  child.stdout?.pipe(log, { end: false });
  child.stderr?.pipe(log, { end: false });
  await answerOf(child);
  return {
    pid: child.pid ?? 0,
    async commands() {
      const answer = answerOf(child);
      child.send('commands');
      return counted.parse(await answer).commands;
    },
    async stop() {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** The next message of the process. @throws if the process ends first */
async function answerOf(child: ChildProcess): Promise<unknown> {
  const answered = new AbortController();
  const { signal } = answered;
  try {
    const [answer] = await Promise.race([
      once(child, 'message', { signal }),
      once(child, 'exit', { signal }).then(() => {
        throw new Error('the worker of the bench has ended');
      }),
    ]);
    return answer;
  } finally {
    answered.abort();
  }
}
