import { randomBytes } from 'node:crypto';
import { GENERATED_PASSWORD_LENGTH } from '../../kernel/account-settings.ts';
import { fitsBcrypt, MIN_PASSWORD_LENGTH, passwordProblem } from '../../kernel/credentials.ts';
import { CalibronError } from '../../kernel/errors.ts';
import { QueueFull } from '../../kernel/fair-queue.ts';
import { createLimitedThreads } from '../../kernel/limited-threads.ts';
import { compiledModule } from '../../kernel/package-root.ts';
import type { PasswordAnswer, PasswordJob } from './password-thread.ts';

const BCRYPT_COST = 10;
/** The problem of a password that attackers try first. */
const COMMON = { type: 'value_error', rule: 'should not be one of the most common passwords' };
/** Compared with when the username is unknown: the hash of a random password that was thrown away. */
const UNKNOWN_USER_HASH = '$2b$10$G6N0djTHllmVWY.bHvltQOWmHKUAI1Ucb/xq7.KQ7C8e0G.0cVqBe';
/** A probe measures the wait, so that its own work is as little as bcrypt does: a millisecond. */
const PROBE_COST = 4;
/** A password takes some 60 ms of processor time, so that two threads check 30 a second. */
const THREADS = { threads: 2, processorMs: 10_000, memoryMb: 64, idleMs: 600_000 };
/** Passwords of one user or address wait for at most a second or so behind each other. */
const QUEUE = { waiting: 300, waitingPerUser: 30 };

export type Passwords = ReturnType<typeof createPasswords>;

/**
 * Hashes and checks passwords in threads of their own, so that they wait for no file and no image, and files do not wait
 * for them. Users, and addresses of unknown users, share the threads equally.
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
     * @param asker the user or the address that it is done for
     * @throws invalid_input for a password that is too short, too long or among the most common ones, too_many_requests
     */
    async hash(asker: string, password: string): Promise<string> {
      const problem = passwordProblem(password, minLength) ?? ((await isCommon(password)) ? COMMON : null);
      if (problem) {
        throw new CalibronError('invalid_input', `The password ${problem.rule}.`, {
          problems: [{ type: problem.type, loc: ['body', 'password'], msg: `Input ${problem.rule}` }],
        });
      }
      return String(await run(asker, { kind: 'hash', password, cost: BCRYPT_COST }));
    },

    /**
     * Whether the password belongs to the hash. Without a hash (unknown user) the same work is done, so that the time of
     * an answer does not show which usernames exist.
     * @throws too_many_requests
     */
    async check(asker: string, password: string, hash: string | null): Promise<boolean> {
      const equal = await run(asker, { kind: 'compare', password, hash: hash ?? UNKNOWN_USER_HASH });
      return equal === true && hash !== null && fitsBcrypt(password);
    },

    /** Does the work of a login without a user, to measure how long it takes. @throws too_many_requests */
    probe: () => run('', { kind: 'hash', password: 'probe', cost: PROBE_COST }),

    /** Ends the threads. */
    close: () => threads.destroy(),
  };
}

let commonPasswords: Promise<ReadonlySet<string>> | undefined;

/** Whether a password, in any case of its letters, is on a public list of the 50,000 most common ones. */
async function isCommon(password: string): Promise<boolean> {
  // The list takes megabytes, and most processes never set a password.
  commonPasswords ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common']),
  );
  return (await commonPasswords).has(password.toLowerCase());
}

/** A temporary password: 18 URL-safe characters, 108 random bits. */
export function generatePassword(): string {
  return randomBytes(24).toString('base64url').slice(0, GENERATED_PASSWORD_LENGTH);
}
