import { compilePrograms } from './programs.ts';

// Part of `npm run build`, and of programs that are started by hand.
await compilePrograms();
