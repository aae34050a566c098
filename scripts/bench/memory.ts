import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

/** Resident memory of a process in MB. */
export async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

/** Peak memory of a process in MB while `body` ran. */
export async function peakMemory<T>(
  pid: number,
  body: () => Promise<T>,
): Promise<{ result: T; memory: number }> {
  let memory = 0;
  let running = true;
  const watched = (async () => {
    while (running) {
      memory = Math.max(memory, await memoryOf(pid));
      await wait(500);
    }
  })();
  const result = await body().finally(() => {
    running = false;
  });
  await watched;
  return { result, memory };
}
