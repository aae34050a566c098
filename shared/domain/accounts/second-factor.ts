import { randomBytes } from 'node:crypto';
import type { Db } from 'mongodb';
import { Secret, TOTP } from 'otpauth';
import { CalibronError } from '../../kernel/errors.ts';
import type { UserId } from '../../kernel/ids.ts';
import { sha256 } from '../../kernel/new-ids.ts';
import { AccountError } from './errors.ts';
import type { Caller, UserDocument } from './model.ts';
import { plainCode, stepOf } from './second-factor-check.ts';
import type { NewSecondFactor, SecondFactorStatus } from './second-factor-model.ts';
import type { SignIn } from './sign-in.ts';
import type { UserStore } from './store.ts';

/** Name under which authenticator apps list the account. */
const ISSUER = 'Calibron';
/** Bytes of a secret, as RFC 4226 recommends. */
const SECRET_BYTES = 20;
const RECOVERY_CODES = 10;
/** Milliseconds within which a new second factor must be confirmed. */
const PENDING_FOR = 3_600_000;

/** Adds and removes the second factor of users. */
export function createSecondFactor(
  db: Db,
  {
    signIn,
    users: store,
  }: { signIn: Pick<SignIn, 'checkLimited'>; users: Pick<UserStore, 'findByUsername'> },
) {
  const users = db.collection<UserDocument>('users');

  /** @throws wrong_current_password, too_many_requests */
  async function checkPassword({ user }: Caller, password: string, address: string, otp?: { code: string }) {
    const right = await signIn.checkLimited({ username: user.username, password }, address, otp);
    if (right?._id === user._id) return;
    const what = otp ? 'The current password or the code is wrong.' : 'The current password is wrong.';
    throw new AccountError('wrong_current_password', what);
  }

  return {
    status: ({ second_factor }: UserDocument): SecondFactorStatus => ({
      enabled: second_factor !== undefined,
      recovery_codes_left: second_factor?.recovery_codes.length ?? 0,
    }),

    /**
     * Creates a second factor; it takes effect once it is confirmed.
     * @throws wrong_current_password, too_many_requests, conflict if the user already has one
     */
    async begin(caller: Caller, currentPassword: string, address: string): Promise<NewSecondFactor> {
      await checkPassword(caller, currentPassword, address);
      const { _id, username } = caller.user;
      const secret = new Secret({ size: SECRET_BYTES });
      const pending = { secret: secret.base32, created_at: new Date() };
      const { matchedCount } = await users.updateOne(
        { _id, second_factor: { $exists: false } },
        { $set: { pending_second_factor: pending } },
      );
      if (matchedCount === 0) {
        throw new CalibronError('conflict', 'This account has a second factor; remove it first.');
      }
      const uri = new TOTP({ issuer: ISSUER, label: username, secret }).toString();
      return { secret: pending.secret, uri };
    },

    /**
     * Activates the second factor. @returns the recovery codes, which are stored as hashes only
     * @throws bad_request for a wrong code, conflict if there is nothing to confirm
     */
    async confirm({ user }: Caller, otp: string): Promise<string[]> {
      const pending = user.pending_second_factor;
      if (!pending || Date.now() - pending.created_at.getTime() > PENDING_FOR) {
        throw new CalibronError('conflict', 'There is no second factor to confirm; ask for one first.');
      }
      const step = stepOf(pending.secret, plainCode(otp));
      if (step === null) throw new CalibronError('bad_request', 'The code is wrong; send the newest one.');
      const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
      const { matchedCount } = await users.updateOne(
        { _id: user._id, 'pending_second_factor.secret': pending.secret },
        {
          $set: {
            second_factor: {
              secret: pending.secret,
              last_step: step,
              recovery_codes: codes.map((code) => sha256(plainCode(code))),
              confirmed_at: new Date(),
            },
          },
          $unset: { pending_second_factor: '' },
        },
      );
      if (matchedCount === 0) {
        throw new CalibronError('conflict', 'There is no second factor to confirm; ask for one first.');
      }
      return codes;
    },

    /** Removes the caller's second factor and passkeys. @throws wrong_current_password also for a wrong code, too_many_requests */
    async remove(
      caller: Caller,
      wanted: { current_password: string; otp: string },
      address: string,
    ): Promise<void> {
      await checkPassword(caller, wanted.current_password, address, { code: wanted.otp });
      await clear(caller.user._id);
    },

    /** Removes the second factor, with its passkeys, of a user who has lost access to it. @throws not_found */
    async reset(username: string): Promise<void> {
      const user = await store.findByUsername(username);
      if (!user) throw new CalibronError('not_found', `There is no user ${username}.`);
      await clear(user._id);
    },
  };

  async function clear(_id: UserId): Promise<void> {
    await users.updateOne(
      { _id },
      { $unset: { second_factor: '', pending_second_factor: '', passkeys: '', passkey_challenge: '' } },
    );
  }
}

/** 80 random bits, in four groups. */
function newRecoveryCode(): string {
  return randomBytes(10).toString('hex').match(/.{5}/g)?.join('-') ?? '';
}
