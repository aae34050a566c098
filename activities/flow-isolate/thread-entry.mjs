// Node 20 does not apply `--import tsx` to the first file of a thread, so the thread registers it itself.
import { register } from 'tsx/esm/api';

register();
await import('./thread.ts');
