import { compilePrograms } from './programs.ts';

// Part of `npm run build`, and of the programs that are begun by hand.
await compilePrograms();
