import type { Logger } from '../../kernel/log.ts';
import type { ConfigurationRevisions } from './store.ts';

/** Milliseconds for which a process does not check again whether the configuration was reloaded. */
const REREAD_INTERVAL = 1000;

/**
 * Caches a value created from configuration files and renews it after a reload in any process. Checks the store on use, at most
 * once a second. If the files cannot be read, the old value stays in use: a reload validates the files first, so only a later
 * change can have broken them.
 * @returns the value; the first call must succeed
 */
export function followConfiguration<Content>(
  revisions: Pick<ConfigurationRevisions, 'current'>,
  read: () => Promise<Content>,
  log: Pick<Logger, 'error'>,
): () => Promise<Content> {
  let kept: { content: Content; revision: number } | null = null;
  let askedAt = 0;
  let asking: Promise<Content> | null = null;

  async function refresh(): Promise<Content> {
    const revision = await revisions.current();
    if (kept?.revision !== revision) kept = { content: await readOrKeep(), revision };
    askedAt = Date.now();
    return kept.content;
  }

  async function readOrKeep(): Promise<Content> {
    if (!kept) return read();
    try {
      return await read();
    } catch (thrown) {
      log.error({ err: thrown }, 'configuration not reloaded');
      return kept.content;
    }
  }

  return () => {
    if (kept && Date.now() - askedAt < REREAD_INTERVAL) return Promise.resolve(kept.content);
    asking ??= refresh().finally(() => {
      asking = null;
    });
    return asking;
  };
}
