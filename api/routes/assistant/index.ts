export { chatSessionRoutes } from './chat-sessions.ts';
export { copilotRoutes } from './copilot.ts';
