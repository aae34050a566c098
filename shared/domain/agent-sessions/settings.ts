import { count, type SettingsOf } from '../../kernel/setting-kinds.ts';

/** Settings of sessions of agents. */
export const agentSessionSettings = {
  AGENT_SESSIONS_PER_PROJECT: count
    .default(100)
    .describe('Sessions of agents that a project may have open at a time.'),
  AGENT_ENTRIES_PER_SESSION: count
    .default(20_000)
    .describe('Actions, rejected ones too, and commits that a session of an agent may have.'),
};
export type AgentSessionSettings = SettingsOf<typeof agentSessionSettings>;
