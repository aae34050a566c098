import { type Laboratory, openLaboratory } from './laboratory.ts';

let opened: Promise<Laboratory> | undefined;

/**
 * A laboratory with a worker, shared by all files of a test process that need no settings and no end of their own: to
 * start a worker takes more of a core than most of their tests. A file makes projects of its own and asks about nothing
 * else. No faults are set when a file gets it, and no file closes it.
 */
export async function commonLaboratory(): Promise<Laboratory> {
  // The files that come after one for which it did not open try again.
  opened ??= open().catch((thrown) => {
    opened = undefined;
    throw thrown;
  });
  const lab = await opened;
  await lab.setFaults({ rules: [] });
  return lab;
}

async function open(): Promise<Laboratory> {
  const lab = await openLaboratory();
  try {
    await lab.startWorker();
  } catch (thrown) {
    await lab.close();
    throw thrown;
  }
  // So the test runner ends its processes when their files are done; it waits half a second for them.
  process.once('SIGTERM', () => void lab.close().finally(() => process.exit()));
  return lab;
}
