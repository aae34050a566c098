export { flowRoutes } from './flows.ts';
export { scheduleRoutes } from './schedules.ts';
