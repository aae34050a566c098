import type { Logger } from '../../kernel/log.ts';
import type { ConfigurationRevisions } from './store.ts';

/** Milliseconds after which a process checks again whether the configuration was reloaded. */
export const REREAD_INTERVAL = 1000;

/** A value made of configuration files. */
export interface Followed<Content> {
  /** The value; the first call must succeed. */
  current(): Promise<Content>;
  /** Makes the next call look for a reload, however soon it comes. */
  forget(): void;
}

/**
 * Caches a value created from configuration files and renews it after a reload in any process. Checks the store on use, at most
 * once a second. If the files cannot be read, the old value stays in use: a reload validates the files first, so only a later
 * change can have broken them.
 */
export function followConfiguration<Content>(
  revisions: Pick<ConfigurationRevisions, 'current'>,
  read: () => Promise<Content>,
  log: Pick<Logger, 'error'>,
): Followed<Content> {
  let kept: { content: Content; revision: number } | null = null;
  /** The newest check of the store. Its answer counts from when it began: what is reloaded meanwhile may be missing in it. */
  let check: { answer: Promise<Content>; beganAt: number } | null = null;

  async function refresh(): Promise<Content> {
    const revision = await revisions.current();
    if (kept?.revision === revision) return kept.content;
    const content = await readOrKeep();
    if (!kept || kept.revision < revision) kept = { content, revision };
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

  function startCheck(): Promise<Content> {
    const started = { answer: refresh(), beganAt: Date.now() };
    check = started;
    started.answer.catch(() => {
      if (check === started) check = null;
    });
    return started.answer;
  }

  return {
    current: () => (check && Date.now() - check.beganAt < REREAD_INTERVAL ? check.answer : startCheck()),
    forget() {
      check = null;
    },
  };
}
