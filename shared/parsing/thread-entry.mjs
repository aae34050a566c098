// Node 20 does not apply `--import tsx` to the first file of a thread, so the thread registers it itself.
import { register } from 'tsx/esm/api';

register();
// The HDF5 library would print a page about each damaged file; it takes this function when it is loaded.
console.error = () => {};
const { default: parse } = await import('./thread.ts');

export default parse;
