export { backendRoutes } from './backends.ts';
export { configurationRoutes } from './configuration.ts';
export { fileRoutes } from './files.ts';
