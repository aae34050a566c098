import { type Laboratory, type OwnProcess, openLaboratory } from './laboratory.ts';

/** The worker of the common laboratory. A test that ends it starts another; otherwise the next file does. */
export type CommonWorker = Pick<OwnProcess, 'pid' | 'kill' | 'stop' | 'log'> & { start(): Promise<void> };

export type CommonLaboratory = Laboratory & { worker: CommonWorker };

/** The administrator of the common laboratory. */
export const administrator = { username: 'admin', password: 'correct horse battery' };

let opened: Promise<{ lab: Laboratory; worker: OwnProcess }> | undefined;

/**
 * A laboratory with a worker, shared by all files of a test process that need no settings and no end of their own: to
 * start a worker takes more of a core than most of their tests. A file makes projects of its own and asks about nothing
 * else. No faults are set when a file gets it, and no file closes it.
 * @param historyLimit events after which a stage of this file's runs continues as new
 */
export async function commonLaboratory({
  historyLimit,
}: {
  historyLimit?: number;
} = {}): Promise<CommonLaboratory> {
  // The files that come after one for which it did not open try again.
  opened ??= open().catch((thrown) => {
    opened = undefined;
    throw thrown;
  });
  const common = await opened;
  const { lab } = common;
  const start = async () => {
    common.worker = await lab.startWorker();
  };
  if (common.worker.hasEnded()) await start();
  await lab.setFaults({ rules: [] });
  const worker: CommonWorker = {
    get pid() {
      return common.worker.pid;
    },
    kill: () => common.worker.kill(),
    stop: () => common.worker.stop(),
    log: () => common.worker.log(),
    start,
  };
  return { ...lab, ...lab.starting(historyLimit), worker };
}

async function open() {
  const lab = await openLaboratory({
    ADMIN_USERNAME: administrator.username,
    ADMIN_PASSWORD: administrator.password,
  });
  try {
    // Before there is anybody else: then there would be no first one.
    await lab.areas.administration.createFirst();
    const worker = await lab.startWorker();
    // So the test runner ends its processes when their files are done; it waits half a second for them.
    process.once('SIGTERM', () => void lab.close().finally(() => process.exit()));
    return { lab, worker };
  } catch (thrown) {
    await lab.close();
    throw thrown;
  }
}
