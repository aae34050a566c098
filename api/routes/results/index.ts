export { aiReviewRoutes } from './ai-reviews.ts';
export { artifactRoutes } from './artifacts.ts';
export { explanationRoutes } from './explanations.ts';
export { figureDownloadRoutes } from './figure-downloads.ts';
export { reanalysisRoutes } from './reanalysis.ts';
export { taskResultRoutes } from './task-results.ts';
