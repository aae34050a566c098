import type { Db } from 'mongodb';
import type { CollectionIndexes } from '../../kernel/database.ts';
import { createActionStore } from './action-store.ts';
import { createCommitStore } from './commit-store.ts';
import { createSessionStore } from './session-store.ts';

export const agentIndexes: readonly CollectionIndexes[] = [
  {
    collection: 'agent_sessions',
    indexes: [
      { name: 'by_age', key: { project_id: 1, created_at: -1, session_id: 1 } },
      { name: 'by_chip', key: { project_id: 1, chip_id: 1, created_at: -1, session_id: 1 } },
      { name: 'by_status', key: { project_id: 1, status: 1, created_at: -1, session_id: 1 } },
      { name: 'by_expiry', key: { project_id: 1, status: 1, expires_at: 1 } },
    ],
  },
  {
    collection: 'agent_actions',
    indexes: [
      { name: 'by_action', key: { project_id: 1, session_id: 1, action_id: 1 }, unique: true },
      { name: 'by_version', key: { project_id: 1, session_id: 1, state_version_after: 1 } },
    ],
  },
  {
    collection: 'agent_commits',
    indexes: [
      { name: 'by_commit', key: { project_id: 1, session_id: 1, commit_id: 1 }, unique: true },
      { name: 'by_chip', key: { project_id: 1, chip_id: 1 } },
      { name: 'by_age', key: { project_id: 1, session_id: 1, created_at: -1, commit_id: 1 } },
    ],
  },
];

export type AgentStore = ReturnType<typeof createAgentStore>;

/** Sessions of agents with their proposals and commits. */
export function createAgentStore(db: Db) {
  return {
    sessions: createSessionStore(db),
    actions: createActionStore(db),
    commits: createCommitStore(db),
  };
}
