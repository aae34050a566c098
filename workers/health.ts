import { rmSync, writeFileSync } from 'node:fs';
import type { Logger } from '../shared/kernel/log.ts';

/** Milliseconds between two signs of health. */
const INTERVAL = 5000;

/** Something that a worker cannot work without. */
interface Needed {
  ping(): Promise<boolean>;
}

/**
 * Touches a file again and again while everything that the worker needs answers. A health check looks at the
 * file's age: a process that is dead, stuck or cut off leaves it to grow old.
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
