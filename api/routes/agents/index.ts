export { agentSessionRoutes } from './agent-sessions.ts';
