import type { Logger } from '../../kernel/log.ts';
import type { ConfigurationRevisions } from './store.ts';

/** Milliseconds for which a process does not ask again whether the configuration was reloaded. */
const REREAD_INTERVAL = 1000;

/**
 * Something made from configuration files, kept in memory and made anew when any process was told to reload. Asks the
 * store when it is used, at most once a second. What cannot be read leaves the former content in use: a reload checks
 * the files first, so only a later change can have broken them.
 * @returns the content; the first call must succeed
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
