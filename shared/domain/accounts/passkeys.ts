import type { Db } from 'mongodb';
import { CalibronError } from '../../kernel/errors.ts';
import type { KernelSettings } from '../../kernel/settings.ts';
import { isoTime, isoTimeOrNull } from '../../kernel/time.ts';
import { AccountError } from './errors.ts';
import type { Caller, UserDocument } from './model.ts';
import { type ChallengeStore, loadWebauthn, relyingPartyOf } from './passkey-check.ts';
import type { Passkey, PasskeyConfirmation, PasskeyDocument } from './passkey-model.ts';
import type { SignIn } from './sign-in.ts';

/** Maximum number of passkeys of a user. */
const MAX_PASSKEYS = 10;

export interface PasskeyNeeds {
  signIn: Pick<SignIn, 'checkLimited'>;
  challenges: ChallengeStore;
  settings: Pick<KernelSettings, 'CLIENT_URL' | 'API_CORS_ORIGINS'>;
}

/** Adds and removes passkeys. They do not replace the codes of a user who has a second factor, whose recovery codes remain. */
export function createPasskeys(db: Db, { signIn, challenges, settings }: PasskeyNeeds) {
  const users = db.collection<UserDocument>('users');

  async function checkPassword({ user }: Caller, password: string, address: string): Promise<void> {
    const right = await signIn.checkLimited({ username: user.username, password }, address);
    if (right?._id === user._id) return;
    throw new AccountError('wrong_current_password', 'The current password is wrong.');
  }

  return {
    list: ({ passkeys = [] }: UserDocument): Passkey[] => passkeys.map(passkeyOf),

    /**
     * Options for the device that makes a key.
     * @throws wrong_current_password, too_many_requests, conflict without a second factor or with too many passkeys
     */
    async begin(caller: Caller, currentPassword: string, address: string): Promise<Record<string, unknown>> {
      await checkPassword(caller, currentPassword, address);
      const { _id, username, second_factor, passkeys = [] } = caller.user;
      if (!second_factor) {
        throw new CalibronError(
          'conflict',
          'Add a second factor with POST /auth/second-factor first; its recovery codes help when a device is lost.',
        );
      }
      if (passkeys.length >= MAX_PASSKEYS) {
        throw new CalibronError('conflict', `You have ${MAX_PASSKEYS} passkeys, the most that are allowed.`);
      }
      const { generateRegistrationOptions } = await loadWebauthn();
      const options = await generateRegistrationOptions({
        rpName: 'Calibron',
        rpID: relyingPartyOf(settings).id,
        userName: username,
        userID: new TextEncoder().encode(_id),
        attestationType: 'none',
        excludeCredentials: passkeys.map(({ id }) => ({ id })),
        authenticatorSelection: { residentKey: 'discouraged', userVerification: 'preferred' },
      });
      await challenges.keep(_id, options.challenge, 'add');
      return { ...options };
    },

    /**
     * Stores the key of a device.
     * @throws bad_request if the device's answer is not valid, conflict if it is known or there are too many
     */
    async confirm({ user }: Caller, { name, credential }: PasskeyConfirmation): Promise<Passkey> {
      const site = relyingPartyOf(settings);
      const { verifyRegistrationResponse } = await loadWebauthn();
      const challenge = await challenges.take(user._id, 'add');
      const verified =
        challenge === null
          ? null
          : await verifyRegistrationResponse({
              response: credential,
              expectedChallenge: challenge,
              expectedOrigin: site.origins,
              expectedRPID: site.id,
              requireUserVerification: false,
            }).catch(() => null);
      if (!verified?.verified) {
        throw new CalibronError('bad_request', 'The answer of the device is not valid; ask for new options.');
      }
      const { id, publicKey, counter } = verified.registrationInfo.credential;
      const added: PasskeyDocument = {
        id,
        public_key: Buffer.from(publicKey).toString('base64url'),
        counter,
        transports: credential.response.transports ?? [],
        name,
        created_at: new Date(),
        last_used_at: null,
      };
      const { matchedCount } = await users.updateOne(
        {
          _id: user._id,
          second_factor: { $exists: true },
          'passkeys.id': { $ne: id },
          [`passkeys.${MAX_PASSKEYS - 1}`]: { $exists: false },
        },
        { $push: { passkeys: added } },
      );
      if (matchedCount === 0) {
        throw new CalibronError(
          'conflict',
          'This passkey is registered already, or you have too many of them.',
        );
      }
      return passkeyOf(added);
    },

    /** Removes a passkey of the caller. @throws wrong_current_password, too_many_requests, not_found */
    async remove(
      caller: Caller,
      wanted: { current_password: string; id: string },
      address: string,
    ): Promise<void> {
      await checkPassword(caller, wanted.current_password, address);
      const { modifiedCount } = await users.updateOne(
        { _id: caller.user._id },
        { $pull: { passkeys: { id: wanted.id } } },
      );
      if (modifiedCount === 0) throw new CalibronError('not_found', 'You have no such passkey.');
    },

    /**
     * Options for the device that signs in. The password comes first, so that the answer does not reveal who has passkeys.
     * @throws wrong_credentials, too_many_requests, conflict if the user has no passkey
     */
    async signInOptions(
      form: { username: string; password: string },
      address: string,
    ): Promise<Record<string, unknown>> {
      const user = await signIn.checkLimited(form, address);
      if (!user) throw new AccountError('wrong_credentials', 'The username or the password is wrong.');
      if (!user.passkeys?.length) {
        throw new CalibronError('conflict', 'This account has no passkey; send a code in the field otp.');
      }
      const { generateAuthenticationOptions } = await loadWebauthn();
      const options = await generateAuthenticationOptions({
        rpID: relyingPartyOf(settings).id,
        allowCredentials: user.passkeys.map(({ id }) => ({ id })),
        userVerification: 'preferred',
      });
      await challenges.keep(user._id, options.challenge, 'sign_in');
      return { ...options };
    },
  };
}

function passkeyOf({ id, name, created_at, last_used_at }: PasskeyDocument): Passkey {
  return { id, name, created_at: isoTime(created_at), last_used_at: isoTimeOrNull(last_used_at) };
}
