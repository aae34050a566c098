export { adminAuditRoutes } from './admin-audit.ts';
export { adminProjectRoutes } from './admin-projects.ts';
export { adminUserRoutes } from './admin-users.ts';
export { deploymentRoutes } from './deployments.ts';
export { systemUpdateRoutes } from './system-updates.ts';
