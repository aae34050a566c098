import { CalibronError } from '../../kernel/errors.ts';
import type { ProjectId } from '../../kernel/ids.ts';
import type { CommitDocument } from './commit-model.ts';
import { openSessionStatuses, type SessionDocument } from './model.ts';
import type { SessionEntry, StoredSession } from './session-store.ts';
import type { AgentStore } from './store.ts';

export type Ledger = ReturnType<typeof createLedger>;

/**
 * Write-ahead log of a session. A change is one write to the session: version, status, budget and the entry with the reason.
 * After that the entry is stored separately, and a commit is carried out. If a process dies in between, the next reader of the
 * session completes the work.
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

  async function read(projectId: ProjectId, sessionId: string): Promise<StoredSession> {
    const found = await sessions.get(projectId, sessionId);
    if (!found) throw new CalibronError('not_found', 'There is no such agent session in this project.');
    return found;
  }

  return {
    /** The current session: expired if its time is over, with all its entries stored. @throws not_found */
    async load(projectId: ProjectId, sessionId: string): Promise<SessionDocument> {
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
     * Increments the version of a loaded session.
     * @param entry the reason for the change; its versions are those before and after
     * @returns the changed session; null, without any effect, when it has changed meanwhile or its time is over
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
