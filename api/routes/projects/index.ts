export { memberRoutes } from './project-members.ts';
export { projectRoutes } from './projects.ts';
export { retentionRoutes } from './retention.ts';
