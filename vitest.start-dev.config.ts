import { defineConfig } from 'vitest/config';
export default defineConfig({ test: { root: '/work/main', pool: 'forks', maxWorkers: 1, testTimeout: 60000, hookTimeout: 120000, include: ['test/start/**/*.test.ts'] } });
