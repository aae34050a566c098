import { compilePrograms } from './programs.ts';

// Part of `npm run build`.
await compilePrograms();
