import type { Db } from 'mongodb';
import type { UserId } from '../../kernel/ids.ts';
import type { KernelSettings } from '../../kernel/settings.ts';
import type { UserDocument } from './model.ts';
import { type PasskeyChallenge, signedCredential } from './passkey-model.ts';

/** The library takes 30 MB, so it is loaded when the first passkey is used. */
export const loadWebauthn = () => import('@simplewebauthn/server');

/** Milliseconds for which a challenge can be answered. */
const VALID_FOR = 300_000;

export type ChallengeStore = ReturnType<typeof createChallengeStore>;

/** Challenges that devices must sign; each is accepted once. */
export function createChallengeStore(db: Db) {
  const users = db.collection<UserDocument>('users');
  return {
    async keep(_id: UserId, challenge: string, purpose: PasskeyChallenge['purpose']): Promise<void> {
      const passkey_challenge = { challenge, purpose, created_at: new Date() };
      await users.updateOne({ _id }, { $set: { passkey_challenge } });
    },

    /** The open challenge, which is used up by this; null if there is none. */
    async take(_id: UserId, purpose: PasskeyChallenge['purpose']): Promise<string | null> {
      const before = await users.findOneAndUpdate(
        { _id, 'passkey_challenge.purpose': purpose },
        { $unset: { passkey_challenge: '' } },
        { returnDocument: 'before' },
      );
      const kept = before?.passkey_challenge;
      const isValid = kept && Date.now() - kept.created_at.getTime() <= VALID_FOR;
      return isValid ? kept.challenge : null;
    },
  };
}

/** The site for which passkeys are made: that of the web client. */
export function relyingPartyOf({
  CLIENT_URL,
  API_CORS_ORIGINS,
}: Pick<KernelSettings, 'CLIENT_URL' | 'API_CORS_ORIGINS'>): { id: string; origins: string[] } {
  const { hostname, origin } = new URL(CLIENT_URL);
  return { id: hostname, origins: [...new Set([origin, ...API_CORS_ORIGINS])] };
}

export type PasskeyCheck = ReturnType<typeof createPasskeyCheck>;

/** Checks the signatures of passkeys. */
export function createPasskeyCheck(
  db: Db,
  challenges: ChallengeStore,
  settings: Pick<KernelSettings, 'CLIENT_URL' | 'API_CORS_ORIGINS'>,
) {
  const users = db.collection<UserDocument>('users');

  /** Whether a device of the user has signed the open challenge. `text` is its answer as JSON. */
  return async ({ _id, passkeys = [] }: UserDocument, text: string): Promise<boolean> => {
    const response = signedCredential.safeParse(parsed(text)).data;
    const known = passkeys.find(({ id }) => id === response?.id);
    if (!response || !known) return false;
    const expectedChallenge = await challenges.take(_id, 'sign_in');
    if (expectedChallenge === null) return false;
    const { id: expectedRPID, origins: expectedOrigin } = relyingPartyOf(settings);
    const { verifyAuthenticationResponse } = await loadWebauthn();
    const verified = await verifyAuthenticationResponse({
      response,
      expectedChallenge,
      expectedOrigin,
      expectedRPID,
      requireUserVerification: false,
      credential: {
        id: known.id,
        publicKey: new Uint8Array(Buffer.from(known.public_key, 'base64url')),
        counter: known.counter,
      },
    }).catch(() => null);
    if (!verified?.verified) return false;
    const { newCounter } = verified.authenticationInfo;
    const place = `passkeys.${passkeys.indexOf(known)}`;
    const { matchedCount } = await users.updateOne(
      { _id, [`${place}.id`]: known.id, [`${place}.counter`]: known.counter },
      { $set: { [`${place}.counter`]: newCounter, [`${place}.last_used_at`]: new Date() } },
    );
    return matchedCount === 1;
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
