import type { Db } from 'mongodb';
import { Secret, TOTP } from 'otpauth';
import { CalibronError } from '../../kernel/errors.ts';
import { sha256 } from '../../kernel/new-ids.ts';
import { AccountError } from './errors.ts';
import type { UserDocument } from './model.ts';
import type { PasskeyCheck } from './passkey-check.ts';
import { throttledFor } from './rules.ts';
import type { UserStore } from './store.ts';

/** Milliseconds for which a code is valid. */
const PERIOD = 30_000;
/** Number of periods by which a phone's clock may be off. */
const WINDOW = 1;

/** Checks the codes of second factors. */
export function createSecondFactorCheck(
  db: Db,
  failures: Pick<UserStore, 'loginFailures' | 'recordLoginFailure'>,
  isSignedByPasskey: PasskeyCheck,
) {
  const users = db.collection<UserDocument>('users');

  /** Consumes a code of the authenticator app. */
  async function takeCode({ _id, second_factor }: UserDocument, code: string): Promise<boolean> {
    const step = second_factor ? stepOf(second_factor.secret, code) : null;
    if (!second_factor || step === null) return false;
    const { modifiedCount } = await users.updateOne(
      { _id, 'second_factor.secret': second_factor.secret, 'second_factor.last_step': { $lt: step } },
      { $set: { 'second_factor.last_step': step } },
    );
    return modifiedCount === 1;
  }

  /** Consumes a recovery code. */
  async function takeRecoveryCode({ _id }: UserDocument, code: string): Promise<boolean> {
    const hash = sha256(code);
    const { modifiedCount } = await users.updateOne(
      { _id, 'second_factor.recovery_codes': hash },
      { $pull: { 'second_factor.recovery_codes': hash } },
    );
    return modifiedCount === 1;
  }

  return {
    /**
     * Whether the user has no second factor, or the code or the answer of a passkey is valid and was not used before. Wrong ones
     * are limited per user, regardless of the address.
     * @throws second_factor_required without either, too_many_requests
     */
    async check(user: UserDocument, { code: given, passkey }: GivenFactor): Promise<boolean> {
      if (!user.second_factor) return true;
      if (given === undefined && passkey === undefined) {
        throw new AccountError(
          'second_factor_required',
          'This account has a second factor; send its code in the field otp, or the answer of a passkey.',
        );
      }
      const key = sha256(JSON.stringify(['second factor', user._id]));
      const wait = throttledFor(await failures.loginFailures(key), new Date());
      if (wait > 0) {
        throw new CalibronError('too_many_requests', 'Too many wrong codes; wait before the next try.', {
          retryAfter: Math.ceil(wait / 1000),
        });
      }
      if (given === undefined) {
        if (await isSignedByPasskey(user, passkey ?? '')) return true;
      } else {
        const code = plainCode(given);
        if ((await takeCode(user, code)) || (await takeRecoveryCode(user, code))) return true;
      }
      await failures.recordLoginFailure(key, new Date());
      return false;
    },
  };
}

/** What a user presents as second factor. */
export interface GivenFactor {
  code?: string | undefined;
  /** JSON. */
  passkey?: string | undefined;
}

export type SecondFactorCheck = ReturnType<typeof createSecondFactorCheck>;

/** The time step of a code; null for a wrong code. */
export function stepOf(secret: string, code: string): number | null {
  const now = Date.now();
  const delta = new TOTP({ secret: Secret.fromBase32(secret) }).validate({
    token: code,
    timestamp: now,
    window: WINDOW,
  });
  return delta === null ? null : Math.floor(now / PERIOD) + delta;
}

/** Normalizes a typed code: without spaces and hyphens, in lower case. */
export function plainCode(given: string): string {
  return given.replaceAll(/[\s-]/g, '').toLowerCase();
}
