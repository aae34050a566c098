import { rmSync, writeFileSync } from 'node:fs';
import type { Logger } from '../shared/kernel/log.ts';

/** Milliseconds between health checks. */
const INTERVAL = 5000;

/** A dependency that a worker cannot work without. */
interface Needed {
  ping(): Promise<boolean>;
}

/**
 * Touches a file periodically while all dependencies of the worker answer. A health check looks at the file's age, which
 * grows if the process is dead, stuck or disconnected.
 */
export function showHealth(path: string, needed: readonly Needed[], log: Logger): { end(): void } {
  let ended = false;

  async function look(): Promise<void> {
    try {
      const answers = await Promise.all(needed.map((each) => each.ping()));
      if (!ended && answers.every(Boolean)) writeFileSync(path, '');
    } catch (err) {
      log.warn({ err }, 'cannot show that the worker is healthy');
    }
  }

  rmSync(path, { force: true });
  void look();
  const looking = setInterval(look, INTERVAL);
  return {
    end() {
      ended = true;
      clearInterval(looking);
      rmSync(path, { force: true });
    },
  };
}
