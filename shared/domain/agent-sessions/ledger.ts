import { CalibronError } from '../../kernel/errors.ts';
import type { CommitDocument } from './commit-model.ts';
import { openSessionStatuses, type SessionDocument } from './model.ts';
import type { AgentStore, SessionEntry, StoredSession } from './store.ts';

export type Ledger = ReturnType<typeof createLedger>;

/**
 * The one order in which a session changes: version, status, budget and the entry that tells why are one write to the
 * session; after that the entry is stored by itself, and a commit is carried out. Whoever reads the session next does
 * what a process that died in between has left.
 */
export function createLedger(
  store: AgentStore,
  carryOut: (commit: CommitDocument) => Promise<CommitDocument>,
) {
  const { sessions, actions, commits } = store;

  async function settle(session: StoredSession): Promise<void> {
    const { entry } = session;
    if (!entry) return;
    if (entry.kind === 'action') await actions.keep(entry.document);
    else await carryOut(await commits.keep(entry.document));
    await sessions.forgetEntry(session);
  }

  async function read(projectId: string, sessionId: string): Promise<StoredSession> {
    const found = await sessions.get(projectId, sessionId);
    if (!found) throw new CalibronError('not_found', 'There is no such agent session in this project.');
    return found;
  }

  return {
    /** A session as it is now: expired when its time is over, with all its entries stored. @throws not_found */
    async load(projectId: string, sessionId: string): Promise<SessionDocument> {
      let session = await read(projectId, sessionId);
      const now = new Date();
      const isOpen = openSessionStatuses.some((status) => status === session.status);
      if (isOpen && session.expires_at <= now) {
        await sessions.expire(projectId, now, sessionId);
        session = await read(projectId, sessionId);
      }
      await settle(session);
      return session;
    },

    /**
     * Raises the version of a session that was loaded.
     * @param entry why; its versions are those before and after
     * @returns the session as it is then; null when it has changed since, or its time is over: nothing was done
     */
    async advance(
      session: SessionDocument,
      change: Parameters<AgentStore['sessions']['advance']>[1],
      entry: SessionEntry | null,
    ): Promise<SessionDocument | null> {
      const advanced = await sessions.advance(session, change, entry);
      if (advanced) await settle(advanced);
      return advanced;
    },
  };
}
