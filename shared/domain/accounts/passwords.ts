import { randomBytes } from 'node:crypto';
import bcrypt from 'bcrypt';
import { fitsBcrypt, passwordProblem } from '../../kernel/credentials.ts';
import { CalibronError } from '../../kernel/errors.ts';

const BCRYPT_COST = 10;

/** bcrypt hash of a new password, computed off the event loop. @throws 422 when the password is too short or too long. */
export async function hashPassword(password: string): Promise<string> {
  const problem = passwordProblem(password);
  if (problem) {
    throw new CalibronError('invalid_input', `The password ${problem.rule}.`, {
      problems: [{ type: problem.type, loc: ['body', 'password'], msg: `Input ${problem.rule}` }],
    });
  }
  return bcrypt.hash(password, BCRYPT_COST);
}

let unknownUserHash: Promise<string> | undefined;

/**
 * Whether the password belongs to the hash. Without a hash (unknown user) the same work is done,
 * so that the time of an answer does not tell which usernames exist.
 */
export async function checkPassword(password: string, hash: string | null): Promise<boolean> {
  unknownUserHash ??= bcrypt.hash(randomBytes(16).toString('hex'), BCRYPT_COST);
  const equal = await bcrypt.compare(password, hash ?? (await unknownUserHash));
  return equal && hash !== null && fitsBcrypt(password);
}

/** A temporary password: 18 URL-safe characters, 108 random bits. */
export function generatePassword(): string {
  return randomBytes(24).toString('base64url').slice(0, 18);
}
