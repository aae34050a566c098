export { taskFileRoutes } from './task-files.ts';
export { taskKnowledgeRoutes } from './task-knowledge.ts';
export { taskRoutes } from './tasks.ts';
