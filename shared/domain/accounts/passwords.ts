import { randomBytes } from 'node:crypto';
import { fitsBcrypt, MIN_PASSWORD_LENGTH, passwordProblem } from '../../kernel/credentials.ts';
import { CalibronError } from '../../kernel/errors.ts';
import { QueueFull } from '../../kernel/fair-queue.ts';
import { createLimitedThreads } from '../../kernel/limited-threads.ts';
import { compiledModule } from '../../kernel/package-root.ts';
import type { PasswordAnswer, PasswordJob } from './password-thread.ts';
import { GENERATED_PASSWORD_LENGTH } from './settings.ts';

const BCRYPT_COST = 10;
/** The problem reported for a common password. */
const COMMON = { type: 'value_error', rule: 'should not be one of the most common passwords' };
/** Compared when the username is unknown: the hash of a random password that was discarded. */
const UNKNOWN_USER_HASH = '$2b$10$G6N0djTHllmVWY.bHvltQOWmHKUAI1Ucb/xq7.KQ7C8e0G.0cVqBe';
/** A probe measures the wait, so its own work is bcrypt's minimum: one millisecond. */
const PROBE_COST = 4;
/** A password takes about 60 ms of processor time, so two threads check about 30 per second. */
const THREADS = { threads: 2, processorMs: 10_000, memoryMb: 64, idleMs: 600_000 };
/** Passwords of one user or address queue for at most about a second. */
const QUEUE = { waiting: 300, waitingPerUser: 30 };

export type Passwords = ReturnType<typeof createPasswords>;

/**
 * Hashes and checks passwords in dedicated threads, so that they do not compete with files and images. The threads are shared
 * fairly between users, and addresses of unknown users.
 */
export function createPasswords({ minLength = MIN_PASSWORD_LENGTH }: { minLength?: number } = {}) {
  const threads = createLimitedThreads<PasswordJob, PasswordAnswer>(
    compiledModule('shared/domain/accounts/password-thread.ts'),
    { ...THREADS, ...QUEUE },
  );

  async function run(asker: string, job: PasswordJob): Promise<PasswordAnswer> {
    try {
      return await threads.run({ user: asker }, job);
    } catch (thrown) {
      if (!(thrown instanceof QueueFull)) throw thrown;
      throw new CalibronError('too_many_requests', 'Too many passwords are being checked; try again.', {
        retryAfter: 5,
      });
    }
  }

  return {
    /**
     * bcrypt hash of a new password.
     * @param asker the user or address that the work is for; its share of the threads
     * @param field of the request that has the password
     * @throws invalid_input for a password that is too short, too long or among the most common ones, too_many_requests
     */
    async hash(
      asker: string,
      password: string,
      field: 'password' | 'new_password' = 'password',
    ): Promise<string> {
      const problem = passwordProblem(password, minLength) ?? ((await isCommon(password)) ? COMMON : null);
      if (problem) {
        throw new CalibronError('invalid_input', `The password ${problem.rule}.`, {
          problems: [{ type: problem.type, loc: ['body', field], msg: `Input ${problem.rule}` }],
        });
      }
      return String(await run(asker, { kind: 'hash', password, cost: BCRYPT_COST }));
    },

    /**
     * Whether the password matches the hash. Without a hash (unknown user) the same work is done, so that response times do not
     * reveal which usernames exist.
     * @throws too_many_requests
     */
    async check(asker: string, password: string, hash: string | null): Promise<boolean> {
      const equal = await run(asker, { kind: 'compare', password, hash: hash ?? UNKNOWN_USER_HASH });
      return equal === true && hash !== null && fitsBcrypt(password);
    },

    /** Does the work of a login without a user, to measure its duration. @throws too_many_requests */
    probe: () => run('', { kind: 'hash', password: 'probe', cost: PROBE_COST }),

    /** Ends the threads. */
    close: () => threads.destroy(),
  };
}

let commonPasswords: Promise<ReadonlySet<string>> | undefined;

/** Whether a password, ignoring case, is on a public list of the 50,000 most common ones. */
async function isCommon(password: string): Promise<boolean> {
  // Loaded on demand: the list takes megabytes, and most processes never set a password.
  commonPasswords ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common']),
  );
  return (await commonPasswords).has(password.toLowerCase());
}

/** A temporary password: 18 URL-safe characters, 108 random bits. */
export function generatePassword(): string {
  return randomBytes(24).toString('base64url').slice(0, GENERATED_PASSWORD_LENGTH);
}
