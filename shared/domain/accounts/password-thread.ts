import bcrypt from 'bcrypt';
import { limitedWork } from '../../kernel/limited-work.ts';

/** Work on a password: hashing it, or comparing it with a hash. */
export type PasswordJob =
  | { kind: 'hash'; password: string; cost: number }
  | { kind: 'compare'; password: string; hash: string };

/** The hash, or whether the password matches it. */
export type PasswordAnswer = string | boolean;

/** Runs synchronously in its own thread: bcrypt's asynchronous functions would occupy the threads that file reads need. */
export default limitedWork<PasswordJob, PasswordAnswer>((job) =>
  job.kind === 'hash' ? bcrypt.hashSync(job.password, job.cost) : bcrypt.compareSync(job.password, job.hash),
);
